// The habits of the house that can be read off a path or a syntax tree: folder names, barrels, wire words.
import { parseSync } from 'oxc-parser'
import { revisions } from '../../packages/core/src/revisions.ts'
import { isTestFile, type SourceFile } from '../workspace.ts'
import { lineAt } from './reaches.ts'

const namesThatSayNothing = new Set(['utils', 'helpers', 'shared', 'common', 'lib', 'types'])

/** The protocol's own words. What they mean to us has names of ours, so that a revision can change them. */
const wireWords = [
  'elicitation/create',
  'input_required',
  'requestState',
  'inputRequests',
  'inputResponses',
  'enumNames',
] as const

export function foldersThatSayNothing(folders: readonly string[]): string[] {
  return folders.filter((folder) => namesThatSayNothing.has(folder.replace(/\/$/, '').split('/').at(-1) ?? ''))
}

/**
 * Why this file is a barrel, or null. A package's `src/index.ts`, and whatever else its manifest exports, may pass names
 * on, each of them listed; `export *` is refused even there, because then the public surface is written down nowhere.
 */
export function barrelIn({ path, text }: SourceFile, entries: readonly string[] = []): string | null {
  const { body } = parseSync(path, text).program
  if (body.some(({ type }) => type === 'ExportAllDeclaration')) return `${path} says export *; list the names`
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(path) || entries.includes(path)) return null
  if (/(^|\/)index\.[cm]?[jt]sx?$/.test(path)) return `${path} is an index that is not a package's own`

  const passesOn = body.some((node) => node.type === 'ExportNamedDeclaration' && node.source !== null)
  const onlyPassesOn = body.every(
    (node) =>
      node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.declaration === null),
  )
  return passesOn && onlyPassesOn ? `${path} only passes on what others export` : null
}

/** Comments may explain the protocol in its own words; code may speak them in an adapter only. */
export function wireWordsIn({ path, text }: SourceFile): string[] {
  if (isTestFile(path) || isAdapter(path)) return []
  const code = withoutComments(path, text)
  return wireWords.flatMap((word) => {
    const at = code.indexOf(word)
    return at < 0 ? [] : [`${path}:${lineAt(code, at)} says ${word} outside an adapter`]
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
