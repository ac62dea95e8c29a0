// The names that a package's index exports, read from its source. Types are marked.
import { type BindingPattern, parseSync } from 'oxc-parser'

/** Sorted lines such as `newId` and `type IdKind`. */
export function publicExports(path: string, text: string): string[] {
  const { program, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${path} cannot be parsed: ${error.message}`)

  const names: string[] = []
  for (const node of program.body) {
    if (node.type === 'ExportAllDeclaration')
      throw new SyntaxError(`${path} contains export *; list the names instead.`)
    if (node.type === 'ExportDefaultDeclaration') names.push('default')
    if (node.type !== 'ExportNamedDeclaration') continue
    const mark = node.exportKind === 'type' ? 'type ' : ''
    for (const { exported, exportKind } of node.specifiers) {
      const name = exported.type === 'Literal' ? exported.value : exported.name
      names.push(exportKind === 'type' ? `type ${name}` : mark + name)
    }
    for (const name of declaredNames(node.declaration)) names.push(mark + name)
  }
  return names.sort()
}

function declaredNames(declaration: unknown): string[] {
  if (typeof declaration !== 'object' || declaration === null) return []
  if ('declarations' in declaration && Array.isArray(declaration.declarations)) {
    return declaration.declarations.flatMap(({ id }: { id: BindingPattern }) => boundNames(id))
  }
  const named = declaration as { id?: { name?: string } }
  return named.id?.name === undefined ? [] : [named.id.name]
}

function boundNames(pattern: BindingPattern): string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  throw new SyntaxError('An index exports names one by one, not a pattern.')
}
