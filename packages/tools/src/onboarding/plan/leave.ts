// What stays in an agent's own file when the rest moves: what is meant for that agent alone, and what nobody has decided.

import type { NamedFinding } from '../analysis/finding.ts'
import { type Section, sectionsOf } from '../analysis/markdown.ts'
import type { ReadFile } from '../analysis/statements.ts'
import { namesAgent, ownerOf } from '../files/agents.ts'
import { type Unit, unitsOf, unitText } from './units.ts'

export interface SplitSection {
  readonly section: Section
  readonly moves: readonly Unit[]
  readonly stays: readonly Unit[]
}

export interface Undecided {
  /** Lines, as `path:line`, that contradict another and about which nobody has said which one counts. */
  readonly open: ReadonlySet<string>
  /** Lines that somebody decided against. */
  readonly dropped: ReadonlySet<string>
}

export function splitFile(file: ReadFile, undecided: Undecided): SplitSection[] {
  const owner = ownerOf(file.file.kind)
  return sectionsOf(file.document).map((section) => {
    const isOwn = owner !== undefined && section.titles.some((title) => namesAgent(title, owner))
    const units = unitsOf(section.blocks.filter((block) => !holds(file.file.path, block, undecided.dropped)))
    const stays = units.filter(
      (unit) =>
        isOwn ||
        (owner !== undefined && namesAgent(unitText(unit), owner)) ||
        unit.blocks.some((block) => block.kind === 'comment' || holds(file.file.path, block, undecided.open)) ||
        (followsImports(file) && /(?:^|\s)@(?:\.{0,2}\/)?[\w~./-]+\.\w+/m.test(withoutCode(unitText(unit)))),
    )
    return { section, stays, moves: units.filter((unit) => !stays.includes(unit)) }
  })
}

function followsImports({ file }: ReadFile): boolean {
  return file.kind === 'claude' || file.kind === 'gemini'
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, '')
}

function holds(path: string, block: { line: number; lines: readonly string[] }, lines: ReadonlySet<string>): boolean {
  return block.lines.some((_, index) => lines.has(`${path}:${block.line + index}`))
}

export class UnknownChoice extends Error {}

/**
 * Which lines are still undecided, given what was chosen: `{ C1: 'CLAUDE.md:12' }` keeps that line and drops the other.
 * Throws when a choice names nothing that was found.
 */
export function undecidedBy(findings: readonly NamedFinding[], keep: Readonly<Record<string, string>>): Undecided {
  const open = new Set<string>()
  const dropped = new Set<string>()
  const contradictions = findings.filter(({ kind }) => kind === 'contradiction')
  for (const id of Object.keys(keep)) {
    if (!contradictions.some((finding) => finding.id === id))
      throw new UnknownChoice(`There is no contradiction ${id}.`)
  }
  for (const { id, places } of contradictions) {
    const names = places.map(({ path, line }) => `${path}:${line}`)
    const kept = Object.hasOwn(keep, id) ? keep[id] : undefined
    if (kept !== undefined && !names.includes(kept)) {
      throw new UnknownChoice(`${id} is between ${names.join(' and ')}; ${kept} is neither.`)
    }
    for (const name of names) if (kept === undefined) open.add(name)
    for (const name of names) if (kept !== undefined && name !== kept) dropped.add(name)
  }
  return { open, dropped }
}
