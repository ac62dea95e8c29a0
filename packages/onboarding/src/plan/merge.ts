// Merges the instructions of one folder into one file, and computes what remains of each of the other files.

import { sectionsOf } from '../analysis/markdown.ts'
import { isPointer } from '../analysis/readers.ts'
import type { ReadFile } from '../analysis/statements.ts'
import { agents, namesAgent, ownerOf } from '../files/agents.ts'
import { bytesOf, documentOf, type TextDocument } from '../files/document.ts'
import { editText, writtenText } from '../text/plan.ts'
import { type SplitSection, splitFile, type Undecided } from './leave.ts'
import { Outline } from './outline.ts'
import { pointerFor } from './pointers.ts'
import { relinked } from './relink.ts'
import { generalTopic, topicOf, topicOrder } from './topic-headings.ts'
import { type Unit, unindented, unitsOf, unitText } from './units.ts'

export interface Merging {
  /** The path of the merged file. */
  readonly targetPath: string
  /** The existing file at `targetPath`. */
  readonly target: ReadFile | undefined
  readonly sources: readonly ReadFile[]
  readonly undecided: Undecided
}

export interface MergedFile {
  readonly path: string
  /** Undefined when nothing of it is left. */
  readonly bytes: Buffer | undefined
  readonly why: string
}

export function merge({ targetPath, target, sources, undecided }: Merging): MergedFile[] {
  const outline = outlineOf(target, undecided)
  const before = target?.document.rawLines.join('') ?? ''
  const isNew = target === undefined
  const taken: string[] = []
  const sorted: { source: ReadFile; split: readonly SplitSection[]; counts: Counts }[] = []
  const splits = sources.map((source) => ({ source, split: splitFile(source, undecided) }))
  // Sources with text to move come first: the others get a pointer to AGENTS.md only if there is one.
  const hasMoves = ({ split }: { split: readonly SplitSection[] }) => split.some(({ moves }) => moves.length > 0)
  for (const { source, split } of [...splits.filter(hasMoves), ...splits.filter((each) => !hasMoves(each))]) {
    const counts = { moved: 0, known: 0 }
    if (!isPointer(source)) {
      // Without an AGENTS.md to point to, a file whose text is all for its own agent is not changed.
      if (outline.isEmpty && split.every(({ moves }) => moves.length === 0)) continue
      if (outline.isEmpty) outline.title(`# ${titleOf(source)}`)
      for (const { titles, units } of destined(source, split, outline, targetPath, isNew && taken.length === 0)) {
        const added = outline.add(titles, units)
        counts.moved += added.length
        counts.known += units.length - added.length
      }
      outline.endSource()
      if (counts.moved > 0) taken.push(source.file.path)
    }
    sorted.push({ source, split, counts })
  }
  // Only now is AGENTS.md complete, so that everything it contains can be removed from the other files.
  const merged = sorted.flatMap(({ source, split, counts }): MergedFile[] => {
    const { file } = source
    const left = isPointer(source)
      ? withoutRepeats(source.document, outline)
      : remains(source, split, targetPath, outline)
    if (left?.equals(ownBytes(source)) === true) return []
    return [{ path: file.path, bytes: left, why: whyOf(source, counts, left, targetPath) }]
  })
  const after = outline.text()
  if (after === before) return merged
  const why = taken.length > 0 ? editText.adds(taken) : ownChange(target, undecided)
  return [{ path: targetPath, bytes: bytesOf(after, outline.hasBom), why }, ...merged]
}

function ownChange(target: ReadFile | undefined, { dropped }: Undecided): string {
  const path = target?.file.path
  if ([...dropped].some((line) => line.startsWith(`${path}:`))) return editText.droppedLines
  const hasHeadings = target !== undefined && sectionsOf(target.document).some(({ level }) => level > 0)
  return hasHeadings ? editText.noDuplicates : editText.headings
}

/** A title that names the repository, not the agent of the file. */
function titleOf({ file, document }: ReadFile): string {
  const titles = sectionsOf(document).filter(({ level }) => level === 1)
  const title = titles.length === 1 ? titles[0]?.title : undefined
  const isFileName =
    title === undefined || agents.some((agent) => namesAgent(title, agent)) || /\.md\b|\brules\b/i.test(title)
  const isRule = pointerFor(file.kind, file.path, 'AGENTS.md') === undefined
  return isFileName || isRule ? writtenText.title : title
}

function outlineOf(target: ReadFile | undefined, { dropped }: Undecided): Outline {
  if (target === undefined) return new Outline()
  const { document, file } = target
  const kept = document.rawLines.filter((_, index) => !dropped.has(`${file.path}:${index + 1}`))
  const text = kept.join('')
  const outline = Outline.of(documentOf(text, document.hasBom))
  if (outline.hasHeadings || outline.isEmpty) return outline
  return structured(documentOf(text, document.hasBom), target)
}

/** Sorts a text without headings under new headings. */
function structured(document: TextDocument, target: ReadFile): Outline {
  const { path } = target.file
  const units = splitFile({ ...target, document }, none)
    .flatMap(({ moves, stays }) => [...moves, ...stays])
    .map((unit) => movedUnit(unit, path, path))
  // A text of up to three units needs no headings.
  if (units.length < 4 || document.frontMatter.lines > 0) return Outline.of(document)
  const outline = new Outline(document.eol, document.hasBom)
  outline.title(`# ${writtenText.title}`)
  for (const { titles, units: some } of byTopic(units, outline)) outline.add(titles, some)
  outline.endSource()
  return outline
}

interface Destined {
  readonly titles: readonly string[]
  readonly units: readonly Unit[]
}

function destined(
  { file, document }: ReadFile,
  split: readonly SplitSection[],
  outline: Outline,
  targetPath: string,
  isFirst: boolean,
): Destined[] {
  const moved = split.map(({ section, moves }) => ({
    section,
    units: moves.map((unit) => movedUnit(unit, file.path, targetPath)),
  }))
  if (split.every(({ section }) => section.level === 0))
    return byTopic(
      moved.flatMap(({ units }) => units),
      outline,
    )
  const name = document.frontMatter.fields.get('description')?.join(', ')
  return moved.flatMap(({ section, units }): Destined[] => {
    if (units.length === 0) return []
    if (section.titles.length > 0) return [{ titles: section.titles, units }]
    if (isFirst || outline.isFlat) return [{ titles: [], units }]
    // A rule file's title names its subject; the title of a whole file of instructions does not.
    const isRule = file.kind === 'cursor-rule' || file.kind === 'claude-rule' || file.kind === 'copilot-scoped'
    const title = isRule ? section.title || name : undefined
    return [{ titles: [title ?? outline.headingLike(generalTopic.like) ?? generalTopic.heading], units }]
  })
}

function movedUnit(unit: Unit, from: string, to: string): Unit {
  return unindented({
    blocks: unit.blocks.map((block) =>
      block.kind === 'fence' ? block : { ...block, lines: relinked(block.lines.join('\n'), from, to).split('\n') },
    ),
  })
}

function byTopic(units: readonly Unit[], outline: Outline): Destined[] {
  return topicOrder.flatMap((heading): Destined[] => {
    const some = units.filter((unit) => topicOf(unitText(unit)).heading === heading)
    const [first] = some
    if (first === undefined) return []
    return [{ titles: [outline.headingLike(topicOf(unitText(first)).like) ?? heading], units: some }]
  })
}

/** A file that already points to AGENTS.md loses only what it repeats. */
function withoutRepeats(document: TextDocument, outline: Outline): Buffer {
  const lines = [...document.rawLines]
  for (const { section } of splitFile({ file: { kind: 'agents', path: '' }, document } as ReadFile, none)) {
    for (const block of section.blocks) {
      const isRepeated = block.kind === 'item' && outline.isKnown(section.titles, block)
      if (isRepeated) lines.fill('', block.line - 1, block.line - 1 + block.lines.length)
    }
  }
  return bytesOf(lines.join(''), document.hasBom)
}

const none: Undecided = { open: new Set(), dropped: new Set() }

function remains(
  { file, document }: ReadFile,
  split: readonly SplitSection[],
  targetPath: string,
  outline: Outline,
): Buffer | undefined {
  const pointer = pointerFor(file.kind, file.path, targetPath)
  const kept = split.filter(({ stays }) => stays.length > 0)
  if (pointer === undefined && kept.length === 0) return undefined
  const head = pointer === undefined ? document.lines.slice(0, document.frontMatter.lines) : [pointer]
  const body = kept.flatMap(({ section, stays }) => {
    const isTitled = section.level > 0 && section.titles.length > 0
    const heading = isTitled ? ['', `${'#'.repeat(section.level)} ${section.title}`] : []
    return [
      ...heading,
      ...stays.flatMap((unit, index) => spaced(movedUnit(unit, file.path, file.path), stays[index - 1])),
    ]
  })
  const text = [...head, ...body].map((line) => `${line}${document.eol}`).join('')
  // The file now points to AGENTS.md, so it is treated like any other file that does.
  return pointer === undefined
    ? bytesOf(text, document.hasBom)
    : withoutRepeats(documentOf(text, document.hasBom), outline)
}

function spaced(unit: Unit, previous: Unit | undefined): string[] {
  const joinsList = previous?.blocks.at(-1)?.kind === 'item' && unit.blocks[0]?.kind === 'item'
  return [...(joinsList ? [] : ['']), ...unitText(unit).split('\n')]
}

function ownBytes({ document }: ReadFile): Buffer {
  return bytesOf(document.rawLines.join(''), document.hasBom)
}

interface Counts {
  moved: number
  known: number
}

function whyOf(source: ReadFile, { moved, known }: Counts, left: Buffer | undefined, targetPath: string): string {
  if (isPointer(source)) return editText.noRepeats
  const { kind, path } = source.file
  const hasPointer = pointerFor(kind, path, targetPath) !== undefined
  const stays = left === undefined ? 0 : unitCount(left) - (hasPointer ? 1 : 0)
  const parts = [
    ...(moved > 0 ? [editText.moved(moved)] : []),
    ...(known > 0 ? [editText.known(known)] : []),
    ...(stays > 0 ? [editText.kept(stays, ownerOf(kind))] : []),
  ]
  return left === undefined ? editText.removed(parts) : editText.points(parts)
}

function unitCount(bytes: Buffer): number {
  return sectionsOf(documentOf(bytes.toString('utf8'))).reduce((sum, { blocks }) => sum + unitsOf(blocks).length, 0)
}
