// What stays in an agent's own file when the rest moves: what is meant for that agent alone, and what is undecided.

import type { NamedFinding, SourceLocation } from '../analysis/finding.ts'
import { type Section, sectionsOf } from '../analysis/markdown.ts'
import { type ReadFile, sentencesIn } from '../analysis/statements.ts'
import { namesAgent, ownerOf } from '../files/agents.ts'
import { reasons } from '../text/refusals.ts'
import { type Unit, unitsOf, unitText } from './units.ts'

export interface SplitSection {
  readonly section: Section
  readonly moves: readonly Unit[]
  readonly stays: readonly Unit[]
}

export interface Undecided {
  /** Lines, as `path:line`, that contradict another and are undecided. */
  readonly open: ReadonlySet<string>
  /** Lines that were decided against. */
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
 * Throws when a choice names nothing that was found, or would drop more than the one statement.
 */
export function undecidedBy(
  files: readonly ReadFile[],
  findings: readonly NamedFinding[],
  keep: Readonly<Record<string, string>>,
): Undecided {
  const open = new Set<string>()
  const dropped = new Set<string>()
  const contradictions = findings.filter(({ kind }) => kind === 'contradiction')
  for (const id of Object.keys(keep)) {
    if (!contradictions.some((finding) => finding.id === id)) {
      throw new UnknownChoice(reasons.choice.noContradiction(id))
    }
  }
  for (const { id, places } of contradictions) {
    const names = places.map(({ path, line }) => `${path}:${line}`)
    const kept = Object.hasOwn(keep, id) ? keep[id] : undefined
    if (kept !== undefined && !names.includes(kept)) {
      throw new UnknownChoice(reasons.choice.neither(id, names, kept))
    }
    for (const [index, place] of places.entries()) {
      if (kept === undefined) open.add(names[index] as string)
      else if (names[index] !== kept) for (const line of onlyStatementAt(files, place)) dropped.add(line)
    }
  }
  return { open, dropped }
}

/** All lines of the block, if it contains only this statement. */
function onlyStatementAt(files: readonly ReadFile[], { path, line }: SourceLocation): string[] {
  const read = files.find(({ file }) => file.path === path)
  const blocks = read === undefined ? [] : sectionsOf(read.document).flatMap((section) => section.blocks)
  const block = blocks.find((each) => line >= each.line && line < each.line + each.lines.length)
  if (block === undefined || sentencesIn(block).length > 1) {
    throw new UnknownChoice(reasons.choice.severalStatements(`${path}:${line}`))
  }
  return block.lines.map((_, index) => `${path}:${block.line + index}`)
}
