// Finds where two agents in the same repository would read different instructions by accident.

import { type Agent, agents, codexReadsBytes, readersOf } from '../files/agents.ts'
import type { InstructionFile, Repository } from '../files/discover.ts'
import { readDifferentlyText } from '../text/findings.ts'
import type { Finding } from './finding.ts'
import { unclosedLine } from './markdown.ts'
import { patternKey, scopeOf } from './scope.ts'
import type { ReadFile } from './statements.ts'

const words = readDifferentlyText

export function differencesIn(repository: Repository, files: readonly ReadFile[]): Finding[] {
  return [
    ...repository.files.flatMap(wrongCase),
    ...repository.lookalikes.map(wrongEnding),
    ...files.flatMap((file) => [
      ...importsNotFollowed(file),
      ...frontMatterNotRead(file),
      ...readByHandOnly(file),
      ...hiddenFrontMatter(file),
      ...cutOff(file),
      ...neverClosed(file),
    ]),
    ...oneSided(repository, files),
  ]
}

function problem(message: string, path: string, line = 1): Finding {
  return { kind: 'read-differently', weight: 'problem', message, places: [{ path, line }] }
}

function note(message: string, path: string, line = 1): Finding {
  return { ...problem(message, path, line), weight: 'note' }
}

function wrongCase({ path, properPath }: InstructionFile): Finding[] {
  if (path === properPath) return []
  return [problem(words.wrongCase(path, properPath), path)]
}

function wrongEnding(path: string): Finding {
  return problem(words.wrongEnding(path), path)
}

/** `@file.md` is an import for Claude Code and Gemini CLI, and ordinary text for all other agents. */
function importsNotFollowed({ file, document }: ReadFile): Finding[] {
  if (file.kind !== 'agents' && file.kind !== 'copilot') return []
  return document.lines.flatMap((line, index) => {
    const target = /^\s*(?:[-*+]\s+)?@((?:\.{1,2}\/)?[\w./-]+\.md)\s*$/.exec(line)?.[1]
    if (target === undefined) return []
    const others = readersOf(file.kind).join(', ')
    return [problem(words.importNotFollowed(file.path, target, others), file.path, index + 1)]
  })
}

const anyPatternKey = new Set<string>([...Object.values(patternKey), 'alwaysApply'])

/** Conditions in the syntax of another agent, which this one ignores. */
function frontMatterNotRead({ file, document }: ReadFile): Finding[] {
  const keys = [...document.frontMatter.fields.keys()].filter((key) => anyPatternKey.has(key))
  const own: string | undefined = Object.hasOwn(patternKey, file.kind)
    ? patternKey[file.kind as keyof typeof patternKey]
    : undefined
  const foreign = keys.filter((key) => key !== own && !(file.kind === 'cursor-rule' && key === 'alwaysApply'))
  if (foreign.length === 0 || (own !== undefined && keys.includes(own))) return []
  const line = document.lines.findIndex((text) => text.startsWith(`${foreign[0]}:`)) + 1
  const reader = readersOf(file.kind).join(', ')
  return [problem(words.foreignConditions(file.path, foreign, reader, own), file.path, line)]
}

function readByHandOnly({ file, document }: ReadFile): Finding[] {
  if (scopeOf(file, document).when !== 'by-hand') return []
  if (frontMatterNotRead({ file, document }).length > 0) return []
  return [problem(words.byHandOnly(file.path, file.kind === 'cursor-rule'), file.path)]
}

function hiddenFrontMatter({ file, document }: ReadFile): Finding[] {
  if (!document.hasBom || document.frontMatter.lines === 0) return []
  return [problem(words.byteOrderMark(file.path), file.path)]
}

function cutOff({ file }: ReadFile): Finding[] {
  if (file.kind !== 'agents' || file.body.is !== 'text' || file.body.bytes <= codexReadsBytes) return []
  return [problem(words.cutOff(file.path, file.body.bytes, codexReadsBytes), file.path)]
}

function neverClosed({ file, document }: ReadFile): Finding[] {
  const line = unclosedLine(document)
  if (line === undefined) return []
  return [problem(words.neverClosed(file.path), file.path, line)]
}

/** Per folder: reports instructions that some agents read and others do not. */
function oneSided(repository: Repository, files: readonly ReadFile[]): Finding[] {
  const folders = [...new Set(repository.files.map(({ folder }) => folder))]
  return folders.flatMap((folder): Finding[] => {
    const here = files.filter(
      ({ file, document }) => file.folder === folder && scopeOf(file, document).when === 'always',
    )
    const ownText = here.filter((file) => !isPointer(file))
    const readers = new Set(ownText.flatMap(({ file }) => readersOf(file.kind)))
    for (const { file } of here.filter(isPointer)) for (const agent of readersOf(file.kind)) readers.add(agent)
    for (const agent of linked(repository, folder)) readers.add(agent)
    if (ownText.length === 0) return []
    const isShared = ownText.length === 1 && ownText[0]?.file.kind === 'agents'
    if (isShared) return []
    const first = (ownText.find(({ file }) => file.kind !== 'agents') ?? ownText[0]) as ReadFile
    const others = agents.filter((agent) => !readers.has(agent))
    const where = words.place(folder)
    const owners = new Set(ownText.map(({ file }) => readersOf(file.kind).join()))
    if (owners.size === 1) {
      const only = [...readers].join(', ')
      return [note(words.onlyFor(where, only, others.join(', ')), first.file.path)]
    }
    const names = ownText.map(({ file }) => `${file.path} (${readersOf(file.kind).join(', ')})`).join('; ')
    return [note(words.separate(where, names), first.file.path)]
  })
}

function linked({ files }: Repository, folder: string): Agent[] {
  return files.flatMap((file) => (file.body.is === 'link' && file.folder === folder ? readersOf(file.kind) : []))
}

/** A file that points to AGENTS.md: with an import, or with a link in its first line. */
export function isPointer({ file, document }: ReadFile): boolean {
  if (file.kind === 'agents') return false
  if (file.kind === 'claude' || file.kind === 'gemini') {
    return document.lines.some((line) => /(?:^|\s)@(?:\.{1,2}\/)*AGENTS\.md\b/.test(line))
  }
  const first = document.lines.slice(document.frontMatter.lines).find((line) => line.trim() !== '') ?? ''
  return /\]\((?:\.{1,2}\/)*AGENTS\.md\)|^Read AGENTS\.md\b/.test(first)
}
