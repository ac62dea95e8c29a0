// Exported names that two files of one package declare: each name has one meaning within its package.
import { parseSync } from 'oxc-parser'
import { isTestFile, type SourceFile } from '../workspace.ts'

/** A line for each name that is declared and exported more than once, with its files. */
export function sharedNames(files: readonly SourceFile[]): string[] {
  const declaredIn = new Map<string, string[]>()
  for (const file of files.filter(({ path }) => !isTestFile(path))) {
    const [, folder = ''] = file.path.split('/')
    for (const name of exportedNamesOf(file)) {
      const key = `${folder}: ${name}`
      declaredIn.set(key, [...(declaredIn.get(key) ?? []), file.path])
    }
  }
  return [...declaredIn]
    .filter(([, paths]) => paths.length > 1)
    .map(([key, paths]) => `${key} is exported by ${paths.join(' and ')}`)
    .sort()
}

/** Overloads, and a type beside a value of its name, count once. */
function exportedNamesOf({ path, text }: SourceFile): Set<string> {
  const names = new Set<string>()
  for (const node of parseSync(path, text).program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.declaration === null) continue
    const { declaration } = node
    if (declaration.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') names.add(id.name)
    } else if ('id' in declaration && declaration.id !== null && declaration.id.type === 'Identifier') {
      names.add(declaration.id.name)
    }
  }
  return names
}
