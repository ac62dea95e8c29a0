// A plan for a repository: folder by folder, everything for all agents goes into its AGENTS.md.
//
// What cannot be moved safely is left unchanged, and the plan lists it: links, files that are not text, that are read-only or
// too long, and names that differ from another only in case.

import type { Analysis } from '../analysis/analyze.ts'
import { unclosedLine } from '../analysis/markdown.ts'
import { scopeOf } from '../analysis/scope.ts'
import { type ReadFile, readableFiles } from '../analysis/statements.ts'
import { bytesDigest } from '../disk/bytes-digest.ts'
import type { InstructionFile, Repository } from '../files/discover.ts'
import type { TextDocument } from '../files/document.ts'
import type { InstructionKind } from '../files/kinds.ts'
import { leftText } from '../text/plan.ts'
import { undecidedBy } from './leave.ts'
import { type MergedFile, merge } from './merge.ts'
import { type Edit, inputOf, type LeftAlone, type Plan } from './plan.ts'
import { newFileMode } from './writable.ts'

const order: readonly InstructionKind[] = [
  'claude',
  'copilot',
  'gemini',
  'cursor-legacy',
  'windsurf',
  'claude-rule',
  'copilot-scoped',
  'cursor-rule',
]

/** `keep` chooses the line of a contradiction that counts: `{ C1: 'CLAUDE.md:12' }`. */
export function makePlan(
  repository: Repository,
  analysis: Analysis,
  keep: Readonly<Record<string, string>> = {},
): Plan {
  const undecided = undecidedBy(readableFiles(repository.files), analysis.findings, keep)
  const left: LeftAlone[] = []
  const edits: Edit[] = []
  const folders = [...new Set(repository.files.map(({ folder }) => folder))].sort()
  for (const folder of folders) {
    const here = repository.files.filter((file) => file.folder === folder)
    const target = targetIn(folder, here, repository, left)
    const sources = sourcesIn(here, target, left)
    if (!target.ok) continue
    const merged = merge({ targetPath: target.path, target: target.file, sources, undecided })
    edits.push(...merged.flatMap((file) => editOf(file, repository)))
  }
  const inputs = repository.files.map(inputOf)
  return { edits: edits.sort((a, b) => (a.path < b.path ? -1 : 1)), inputs, left, decided: keep }
}

type Target = { readonly ok: true; readonly path: string; readonly file: ReadFile | undefined } | { readonly ok: false }

function targetIn(
  folder: string,
  here: readonly InstructionFile[],
  { files, paths }: Repository,
  left: LeftAlone[],
): Target {
  const path = folder === '' ? 'AGENTS.md' : `${folder}/AGENTS.md`
  const refuse = (which: string, why: string): Target => {
    left.push({ path: which, why })
    return { ok: false }
  }
  const existing = here.find((file) => file.kind === 'agents')
  if (existing === undefined) {
    const lookalike = [...paths].find((other) => other.toLowerCase().replace(/\/$/, '') === path.toLowerCase())
    if (lookalike !== undefined) return refuse(lookalike, leftText.taken(path))
    return { ok: true, path, file: undefined }
  }
  if (existing.path !== existing.properPath) {
    return refuse(existing.path, leftText.renameOneFile(existing.properPath))
  }
  const { body } = existing
  if (body.is === 'stray' || body.is === 'closed') return refuse(existing.path, body.why)
  const real = body.is === 'link' ? files.find((file) => file.path === body.to) : existing
  const [read] = real === undefined ? [] : readableFiles([real])
  if (read === undefined) {
    return refuse(existing.path, body.is === 'link' ? leftText.link(body.to) : leftText.unreadable)
  }
  if (isReadOnly(read.file)) return refuse(read.file.path, leftText.readOnly)
  if (unclosedLine(read.document) !== undefined) return refuse(read.file.path, notClosed(read.document))
  return { ok: true, path: read.file.path, file: read }
}

function sourcesIn(here: readonly InstructionFile[], target: Target, left: LeftAlone[]): ReadFile[] {
  const sources = here.filter((file) => file.kind !== 'agents' && !(target.ok && target.path === file.path))
  const usable = sources.filter((file) => {
    const why = whyNot(file, target)
    if (why !== undefined) left.push({ path: file.path, why })
    return why === undefined
  })
  return readableFiles(usable).sort(
    (a, b) => order.indexOf(a.file.kind) - order.indexOf(b.file.kind) || (a.file.path < b.file.path ? -1 : 1),
  )
}

function whyNot(file: InstructionFile, target: Target): string | undefined {
  const { body } = file
  switch (body.is) {
    case 'link':
      return leftText.linkStays(body.to)
    case 'stray':
    case 'closed':
      return body.why
    case 'text': {
      if (file.path !== file.properPath) return leftText.rename(file.properPath)
      if (isReadOnly(file)) return leftText.readOnly
      if (unclosedLine(body.read.document) !== undefined) return notClosed(body.read.document)
      const { when, patterns } = scopeOf(file, body.read.document)
      if (when === 'matching') return leftText.matching(patterns)
      if (when === 'chosen') return leftText.chosen
      if (when === 'by-hand') return leftText.byHand
      return target.ok ? undefined : leftText.noTarget
    }
  }
}

function notClosed(document: TextDocument): string {
  return leftText.notClosed(unclosedLine(document))
}

function isReadOnly({ body }: InstructionFile): boolean {
  return body.is === 'text' && (body.mode & 0o222) === 0
}

function editOf({ path, bytes, why }: MergedFile, { files }: Repository): Edit[] {
  const body = files.find((file) => file.path === path)?.body
  const before = body?.is === 'text' ? { digest: body.digest, mode: body.mode } : null
  const mode = before?.mode ?? newFileMode
  const after = bytes === undefined ? null : { digest: bytesDigest(bytes), mode, text: bytes.toString('utf8') }
  if (before !== null && after !== null && before.digest === after.digest) return []
  return before === null && after === null ? [] : [{ path, before, after, why }]
}
