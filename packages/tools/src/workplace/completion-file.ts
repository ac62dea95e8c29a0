// The plan's completion file: it has people's decisions in one marked list. The agent may write the rest of the file.
//
// An agent writes this file too, often as a whole and at the end. So every write restores the whole list, from the file
// and from the plan memory, instead of appending one line. The file is replaced atomically, and links that lead out of
// the project are refused.

import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, parse, relative } from 'node:path'
import { isInside } from '../git/find-git.ts'
import { toolLimits } from '../limits.ts'
import { recordText } from '../text/record.ts'

const { opening, closing } = recordText

export type Recorded = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly why: string }

/** Writes these decisions to the file, each once, in the order of their times. */
export function record(root: string, plansFolder: string, task: string, decisions: readonly string[]): Recorded {
  if (isNotProject(root)) return { ok: false, why: recordText.notProject(root) }
  const file = join(root, plansFolder, `${task}-complete.md`)
  try {
    const folder = dirname(file)
    mkdirSync(folder, { recursive: true })
    if (!isInside(folder, root)) return { ok: false, why: recordText.outside(plansFolder) }
    const before = existing(file)
    if (typeof before === 'object') return before
    const after = withDecisions(before ?? `# ${titleOf(task)}\n`, decisions)
    if (after !== before) replace(file, after)
    return { ok: true, file: relative(root, file) }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}

/** Some clients start their servers in the user's own folder, or in an arbitrary folder; plans must not be written there. */
function isNotProject(folder: string): boolean {
  return folder === homedir() || folder === parse(folder).root
}

function existing(file: string): string | undefined | { readonly ok: false; readonly why: string } {
  if (!existsSync(file)) return undefined
  const found = lstatSync(file)
  if (!found.isFile()) return { ok: false, why: recordText.notRegular(file) }
  if (found.size > toolLimits.recordBytes) return { ok: false, why: recordText.tooLarge(file) }
  return readFileSync(file, 'utf8')
}

function withDecisions(text: string, decisions: readonly string[]): string {
  const from = text.indexOf(opening)
  const to = text.indexOf(closing, from)
  const isThere = from >= 0 && to > from
  const kept = isThere
    ? text
        .slice(from + opening.length, to)
        .split('\n')
        .filter((line) => line.startsWith('- '))
    : []
  // A line begins with its time, so the order of text is the order of time.
  const lines = [...new Set([...kept, ...decisions])].sort()
  const list = `${opening}\n${lines.join('\n')}\n${closing}`
  if (isThere) return text.slice(0, from) + list + text.slice(to + closing.length)
  return `${text.trimEnd()}\n\n${recordText.heading}\n\n${list}\n`
}

function replace(file: string, text: string): void {
  const draft = join(dirname(file), `.assent-${randomUUID()}`)
  try {
    writeFileSync(draft, text, { flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** One line of the list. Text from people and agents cannot add a line or end the HTML comment. */
export function decisionLine(atMs: number, words: string): string {
  const plain = words.replaceAll('<!--', '<! --').replaceAll('-->', '-- >').replaceAll(/\s+/g, ' ').trim()
  return `- ${new Date(atMs).toISOString()} ${plain}`
}

/** The name of a task as part of a file's name. */
export function taskName(words: string): string {
  const [first = ''] = words.split('\n', 1)
  const plain = first
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, toolLimits.taskNameChars)
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'plan' : plain
}

function titleOf(task: string): string {
  return task.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())
}
