// Workspace rules that can be checked on a path or a syntax tree: folder names, barrel files, protocol terms.
import { parseSync } from 'oxc-parser'
import { revisions } from '../../packages/core/src/revisions.ts'
import { isTestFile, type SourceFile } from '../workspace.ts'
import { lineAt } from './reaches.ts'

const meaninglessNames = new Set(['utils', 'helpers', 'shared', 'common', 'lib', 'types'])

/** Terms of the protocol. Other code uses our own names for these concepts, because a revision may rename them. */
const protocolTerms = [
  'elicitation/create',
  'input_required',
  'requestState',
  'inputRequests',
  'inputResponses',
  'enumNames',
] as const

export function meaninglessFolders(folders: readonly string[]): string[] {
  return folders.filter((folder) => meaninglessNames.has(folder.replace(/\/$/, '').split('/').at(-1) ?? ''))
}

/**
 * Why this file is a barrel, or null. A package's `src/index.ts`, and other files that its manifest exports, may
 * re-export names one by one; `export *` is refused even there, because the public names would not be listed anywhere.
 */
export function barrelIn({ path, text }: SourceFile, entries: readonly string[] = []): string | null {
  const { body } = parseSync(path, text).program
  if (body.some(({ type }) => type === 'ExportAllDeclaration')) return `${path} contains export *; list the names`
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(path) || entries.includes(path)) return null
  if (/(^|\/)index\.[cm]?[jt]sx?$/.test(path)) return `${path} is an index that is not a package's own`

  const reexports = body.some((node) => node.type === 'ExportNamedDeclaration' && node.source !== null)
  const onlyReexports = body.every(
    (node) =>
      node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.declaration === null),
  )
  return reexports && onlyReexports ? `${path} only re-exports names of other files` : null
}

/** Comments may contain protocol terms; code may contain them only in an adapter. */
export function protocolTermsIn({ path, text }: SourceFile): string[] {
  if (isTestFile(path) || isAdapter(path)) return []
  const code = withoutComments(path, text)
  return protocolTerms.flatMap((word) => {
    const at = code.indexOf(word)
    return at < 0 ? [] : [`${path}:${lineAt(code, at)} contains ${word} outside an adapter`]
  })
}

function isAdapter(path: string): boolean {
  if (/^packages\/core\/src\/form\/(read|encode)/.test(path)) return true
  return path.split('/').some((part) => revisions.some((revision) => part.includes(revision)))
}

function withoutComments(path: string, text: string): string {
  let code = text
  for (const { start, end } of parseSync(path, text).comments) {
    const blank = text.slice(start, end).replace(/[^\n]/g, ' ')
    code = code.slice(0, start) + blank + code.slice(end)
  }
  return code
}

/** A version that is sent or printed is read from the manifest. */
export function hardCodedVersionsIn({ path, text }: SourceFile): string[] {
  if (isTestFile(path)) return []
  const code = withoutComments(path, text)
  return [...code.matchAll(/(['"`])0\.0\.0\1/g)].map(
    ({ index }) => `${path}:${lineAt(code, index)} contains a hard-coded version`,
  )
}
