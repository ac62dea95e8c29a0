// Finds every way in which a source file can reach another module, by parsing and not by matching text.
//
// A specifier inside a comment or a string is not a reach; a type import is one. imports.ts decides whether a reach is
// allowed. A computed module name (`import(name)`) is returned with a null specifier, so that it can be refused.
import { type Comment, parseSync, type Span, Visitor } from 'oxc-parser'
import type { SourceFile } from '../workspace.ts'

export interface Reach {
  readonly specifier: string | null
  /** The import syntax, for the failure message. */
  readonly spelling: string
  /** True if the import is erased at compile time. */
  readonly typeOnly: boolean
  readonly line: number
}

/** Functions whose first argument names a module. */
const loaders = new Set([
  'require',
  'require.resolve',
  'module.require',
  'import.meta.resolve',
  'process.getBuiltinModule',
  'vi.mock',
  'vi.doMock',
  'vi.importActual',
  'vi.importMock',
])

export function reachesOf({ path, text }: SourceFile): Reach[] {
  const { program, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${path} cannot be parsed: ${error.message}`)

  const reaches: Reach[] = []
  const add = (at: Span, spelling: string, specifier: string | null, typeOnly = false) => {
    reaches.push({ specifier, spelling, typeOnly, line: lineAt(text, at.start) })
  }

  for (const reference of referencesAbove(program.body[0]?.start ?? text.length, comments)) {
    add(reference.at, `/// <reference ${reference.kind}>`, reference.specifier, true)
  }
  new Visitor({
    ImportDeclaration(node) {
      // `import { type X }` is not type-only: it compiles to `import {}`, which loads the module.
      add(node, 'import', node.source.value, node.importKind === 'type')
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) add(node, 'export from', node.source.value, node.exportKind === 'type')
    },
    ExportAllDeclaration(node) {
      add(node, 'export *', node.source.value, node.exportKind === 'type')
    },
    ImportExpression(node) {
      add(node, 'import()', constantText(node.source))
    },
    TSImportType(node) {
      add(node, 'import() type', node.source.value, true)
    },
    TSImportEqualsDeclaration(node) {
      if (node.moduleReference.type !== 'TSExternalModuleReference') return
      add(node, 'import = require', node.moduleReference.expression.value, node.importKind === 'type')
    },
    TSModuleDeclaration(node) {
      if (node.id.type === 'Literal') add(node, 'declare module', node.id.value, true)
    },
    CallExpression(node) {
      const called = dottedName(node.callee)
      if (called !== null && loaders.has(called)) loadedBy(node.arguments, called, (name) => add(node, called, name))
    },
    NewExpression(node) {
      const [target, base] = node.arguments
      if (dottedName(node.callee) !== 'URL' || dottedName(base) !== 'import.meta.url') return
      // Data files are found this way too, with computed names; only a constant name can be checked.
      const name = constantText(target)
      if (name !== null) add(node, 'new URL', asRelative(name))
    },
  }).visit(program)
  return reaches.sort((a, b) => a.line - b.line)
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function loadedBy(args: readonly unknown[], called: string, add: (name: string | null) => void): void {
  // vi.mock(import('./x.ts')): the inner import() is found separately.
  if (called.startsWith('vi.') && isNode(args[0]) && args[0].type === 'ImportExpression') return
  add(constantText(args[0]))
}

/** Compiler directives count only above the first statement; further down they are ordinary comments. */
function referencesAbove(firstStatement: number, comments: readonly Comment[]) {
  return comments.flatMap((comment) => {
    if (comment.type !== 'Line' || comment.start > firstStatement) return []
    const [, kind, , name = ''] = /^\/\s*<reference\s+(path|types|lib)\s*=\s*(["'])(.*?)\2/.exec(comment.value) ?? []
    if (kind === undefined) return []
    const specifier = kind === 'path' ? asRelative(name) : kind === 'lib' ? `lib:${name}` : name
    return [{ kind, specifier, at: comment }]
  })
}

function asRelative(name: string): string {
  return /^(\.|\/|[a-z][a-z0-9+-]*:)/i.test(name) ? name : `./${name}`
}

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** The text of a constant string, also in parentheses or with a type assertion; null for anything computed. */
export function constantText(value: unknown): string | null {
  if (!isNode(value)) return null
  if (value.type === 'Literal') return typeof value.value === 'string' ? value.value : null
  if (/^(Parenthesized|TSAs|TSSatisfies|TSNonNull)Expression$/.test(value.type)) return constantText(value.expression)
  if (value.type !== 'TemplateLiteral' || !Array.isArray(value.quasis) || value.quasis.length !== 1) return null
  return value.quasis[0].value.cooked
}

/** `import.meta.url` for that expression; null for anything that is not a chain of names. */
function dottedName(value: unknown): string | null {
  if (!isNode(value)) return null
  if (value.type === 'Identifier') return String(value.name)
  if (value.type === 'ParenthesizedExpression') return dottedName(value.expression)
  if (value.type === 'MetaProperty') return joined(value.meta, value.property)
  if (value.type === 'MemberExpression' && value.computed !== true) return joined(value.object, value.property)
  return null
}

function joined(left: unknown, right: unknown): string | null {
  const [before, after] = [dottedName(left), dottedName(right)]
  return before === null || after === null ? null : `${before}.${after}`
}
