// The text of an AGENTS.md while others are merged into it: its own sections, with new blocks at the end of the
// matching one. Unchanged parts are written back byte for byte.

import { type Block, normalised, type Section, sectionsOf } from '../analysis/markdown.ts'
import { documentOf, type TextDocument } from '../files/document.ts'
import { textOf, type Unit, unindented, unitsOf, withoutKnown, wordsOfBlock } from './units.ts'

interface Part {
  readonly level: number
  readonly path: readonly string[]
  readonly head: string[]
  body: string[]
}

/** A shorter text is a common phrase, which may mean something else under another heading. */
const distinctiveWords = 5

export class Outline {
  readonly eol: '\n' | '\r\n'
  readonly hasBom: boolean
  readonly #parts: Part[] = []
  /** The statements so far, by the headings they are under. */
  readonly #here = new Set<string>()
  /** All statements so far, except those of the source that is being added. */
  readonly #anywhere = new Set<string>()
  #fresh: Block[] = []

  constructor(eol: '\n' | '\r\n' = '\n', hasBom = false) {
    this.eol = eol
    this.hasBom = hasBom
  }

  /** The document unchanged, except that duplicate headings and duplicate items are merged. */
  static of(document: TextDocument): Outline {
    const outline = new Outline(document.eol, document.hasBom)
    const sections = sectionsOf(document)
    for (const section of sections) outline.#take(section, document)
    outline.endSource()
    if (outline.#parts.length === sections.length) return outline
    // The empty line before a heading that was merged is now at the end of the file.
    outline.#trimEnd()
    // Parsed again: if one of two first-level headings is left, it is now the title of the file, not a heading in it.
    return Outline.of(documentOf(outline.text(), document.hasBom))
  }

  /** Whether this statement exists already: under these headings, or anywhere if it is too long to be a coincidence. */
  isKnown(titles: readonly string[], block: Block, unit?: Unit): boolean {
    const words = wordsOfBlock(block)
    if (this.#here.has(keyOf(titles.map(normalised), words))) return true
    const isAlone = block.kind === 'fence' && (unit === undefined || unit.blocks.length === 1)
    const isDistinctive = block.kind === 'fence' || words.split(' ').length >= distinctiveWords
    return isDistinctive && !isAlone && this.#anywhere.has(words)
  }

  /** Call it after each source: only then do its statements count as known, so a source may repeat its own. */
  endSource(): void {
    for (const block of this.#fresh) this.#anywhere.add(wordsOfBlock(block))
    this.#fresh = []
  }

  get isEmpty(): boolean {
    return this.#parts.every(({ head, body }) => [...head, ...body].every((line) => line.trim() === ''))
  }

  get hasHeadings(): boolean {
    return this.#parts.some(({ level }) => level > 0)
  }

  /** Whether a title is the only heading. */
  get isFlat(): boolean {
    return this.#parts.filter(({ level }) => level > 0).length === 1 && this.#parts.some(({ level }) => level === 1)
  }

  /** Adds units under these headings, and creates missing headings. Returns the units that were new. */
  add(titles: readonly string[], units: readonly Unit[]): Unit[] {
    const added: Unit[] = []
    for (const unit of units) {
      const fresh = withoutKnown(unit, (block) => this.isKnown(titles, block, unit))
      if (fresh === undefined) continue
      this.#append(this.#partFor(titles), fresh)
      this.#know(titles, fresh.blocks)
      added.push(fresh)
    }
    return added
  }

  title(text: string): void {
    this.#parts.unshift({ level: 1, path: [], head: [`${text}${this.eol}`], body: [] })
  }

  /** A heading of the second level that means the same, as it is written. */
  headingLike(words: RegExp): string | undefined {
    const part = this.#parts.find(({ level, path }) => level === 2 && path.length === 1 && words.test(path[0] ?? ''))
    return part?.head[0]?.replace(/^\s*#+\s*|\s*$/g, '')
  }

  text(): string {
    return this.#parts
      .flatMap(({ head, body, level }, index) => {
        // Directly below other text, an underlined heading would be read as part of that text.
        const isUnderlined = level > 0 && head.length === 2
        const above = this.#parts[index - 1]?.body.at(-1)
        const needsSpace = isUnderlined && above !== undefined && above.trim() !== ''
        return [...(needsSpace ? [this.eol] : []), ...head, ...body]
      })
      .join('')
  }

  #know(titles: readonly string[], blocks: readonly Block[]): void {
    for (const block of blocks) this.#here.add(keyOf(titles.map(normalised), wordsOfBlock(block)))
    this.#fresh.push(...blocks)
  }

  #take(section: Section, document: TextDocument): void {
    const bodyStart = section.bodyLine - 1
    const head = document.rawLines.slice(section.level === 0 ? 0 : section.line - 1, bodyStart)
    const raw = document.rawLines.slice(bodyStart, bodyStart + section.body.length)
    const same = section.path.length > 0 ? this.#parts.find((part) => isSamePath(part.path, section.path)) : undefined
    if (same !== undefined) {
      for (const unit of unitsOf(section.blocks).map(unindented)) {
        const fresh = withoutKnown(unit, (block) => this.isKnown(section.titles, block, unit))
        if (fresh !== undefined) this.#append(same, fresh)
        this.#know(section.titles, unit.blocks)
      }
      return
    }
    const dropped = new Set<number>()
    const here = new Set<string>()
    for (const block of section.blocks) {
      const words = wordsOfBlock(block)
      const isRepeated = block.kind === 'item' && here.has(words) && words.split(' ').length >= distinctiveWords
      for (const index of isRepeated ? block.lines.keys() : []) dropped.add(block.line - section.bodyLine + index)
      here.add(words)
      this.#know(section.titles, [block])
    }
    this.#place(
      section,
      head,
      raw.filter((_, index) => !dropped.has(index)),
    )
  }

  /** At the end, or, where the heading above it was merged into an earlier one, under that one. */
  #place({ level, path, title }: Section, head: string[], body: string[]): void {
    const under = path.slice(0, -1)
    const at = this.#lastUnder(under) + 1
    if (at === this.#parts.length) {
      this.#parts.push({ level, path, head, body })
      return
    }
    const parent = this.#parts.find((part) => isSamePath(part.path, under))
    const lowest = Math.min((parent?.level ?? 0) + 1, 6)
    const part =
      level >= lowest ? { level, path, head, body } : { level: lowest, path, head: [this.#head(lowest, title)], body }
    this.#endBlank(this.#parts[at - 1])
    this.#endBlank(part)
    this.#parts.splice(at, 0, part)
  }

  #head(level: number, title: string): string {
    return `${'#'.repeat(level)} ${title}${this.eol}`
  }

  #partFor(titles: readonly string[]): Part {
    const names = titles.map(normalised)
    const exact = this.#parts.find((part) => isSamePath(part.path, names) && (part.level > 0 || names.length > 0))
    if (exact !== undefined) return exact
    const parent = names.length > 1 ? this.#partFor(titles.slice(0, -1)) : undefined
    const level = parent === undefined ? this.#topLevel : Math.min(parent.level + 1, 6)
    const made: Part = { level, path: names, head: [this.#head(level, titles.at(-1) ?? '')], body: [] }
    const at = parent === undefined ? this.#parts.length : this.#lastUnder(parent.path) + 1
    this.#endBlank(this.#parts[at - 1])
    if (at < this.#parts.length) made.body.push(this.eol)
    this.#parts.splice(at, 0, made)
    return made
  }

  /** The level of a new top heading: 1 if the file has first-level headings that are not its title, otherwise 2. */
  get #topLevel(): number {
    return this.#parts.some(({ level, path }) => level === 1 && path.length > 0) ? 1 : 2
  }

  /** The index of the last part under these headings. */
  #lastUnder(names: readonly string[]): number {
    return this.#parts.findLastIndex((part) => names.every((name, index) => part.path[index] === name))
  }

  /** One empty line before whatever comes next. */
  #endBlank(part: Part | undefined): void {
    if (part === undefined) return
    const lines = part.body.length > 0 ? part.body : part.head
    const last = lines.at(-1)
    if (last === undefined) return
    if (!last.endsWith('\n')) lines[lines.length - 1] = `${last}${this.eol}`
    if (last.trim() !== '') part.body.push(this.eol)
  }

  #trimEnd(): void {
    const last = this.#parts.at(-1)
    while (last !== undefined && last.body.length > 1 && last.body.at(-1)?.trim() === '') last.body.pop()
  }

  #append(part: Part, unit: Unit): void {
    const trailing: string[] = []
    while (part.body.length > 0 && part.body.at(-1)?.trim() === '') trailing.unshift(part.body.pop() as string)
    const lastLine = part.body.at(-1)
    if (lastLine !== undefined && !lastLine.endsWith('\n')) part.body[part.body.length - 1] = `${lastLine}${this.eol}`
    const lines = unit.blocks.flatMap((block, index) => {
      const text = textOf(block).split('\n')
      const previous = unit.blocks[index - 1]
      const isApart =
        previous !== undefined && !(previous.kind === 'item' && block.kind === 'item') && block.kind !== 'fence'
      return isApart ? ['', ...text] : text
    })
    const startsList = unit.blocks[0]?.kind === 'item' && isListLine(lastLine)
    const before = lastLine === undefined && part.head.length === 0 ? [] : startsList ? [] : ['']
    part.body.push(...[...before, ...lines].map((line) => `${line}${this.eol}`))
    // Keep the empty lines before the next heading.
    part.body.push(...(trailing.length > 0 && lastLine !== undefined ? trailing : trailing.slice(1)))
  }
}

function isListLine(line: string | undefined): boolean {
  return line !== undefined && /^\s*(?:[-*+]|\d+[.)])\s|^\s{2,}\S/.test(line)
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index])
}

function keyOf(path: readonly string[], words: string): string {
  return `${path.join('\n')}\n\n${words}`
}
