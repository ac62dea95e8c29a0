// As much of Markdown as instructions need: sections by their headings, and in them list items, paragraphs and fences.
//
// Lines are numbered from 1 and every line belongs to exactly one section, so that text can be moved without loss.

import type { TextDocument } from '../files/document.ts'

export type BlockKind = 'item' | 'paragraph' | 'fence' | 'table' | 'comment'

export interface Block {
  readonly kind: BlockKind
  readonly line: number
  readonly lines: readonly string[]
  /** The language of a fence. */
  readonly language?: string
}

export interface Section {
  /** Zero for what comes before the first heading. */
  readonly level: number
  readonly title: string
  /** The line of the heading; of the first section, its first line. */
  readonly line: number
  /** The lines after the heading, with the number of the first. */
  readonly bodyLine: number
  readonly body: readonly string[]
  readonly blocks: readonly Block[]
  /** Normalised titles from the top down to this one, without the document's own title. */
  readonly path: readonly string[]
  /** The same, as they are written. */
  readonly titles: readonly string[]
}

export function sectionsOf(document: TextDocument): Section[] {
  const { lines, frontMatter } = document
  const heads = headings(lines, frontMatter.lines)
  const first = heads[0]
  // A single heading of the first level is the document's title and no part of any path.
  const hasTitle = first?.level === 1 && heads.filter(({ level }) => level === 1).length === 1
  const sections: Section[] = []
  const preambleEnd = first?.index ?? lines.length
  sections.push(
    section(0, '', frontMatter.lines + 1, frontMatter.lines, lines.slice(frontMatter.lines, preambleEnd), []),
  )
  const trail: { level: number; title: string }[] = []
  heads.forEach(({ index, level, title, takes }, at) => {
    const end = heads[at + 1]?.index ?? lines.length
    while ((trail.at(-1)?.level ?? 0) >= level) trail.pop()
    trail.push({ level, title })
    const titles = trail.filter((one) => !(hasTitle && one.level === 1)).map((one) => one.title)
    sections.push(section(level, title, index + 1, index + takes, lines.slice(index + takes, end), titles))
  })
  return sections
}

function section(
  level: number,
  title: string,
  line: number,
  bodyIndex: number,
  body: readonly string[],
  titles: readonly string[],
): Section {
  const path = titles.map(normalised)
  return { level, title, line, bodyLine: bodyIndex + 1, body, blocks: blocksOf(body, bodyIndex + 1), path, titles }
}

interface Heading {
  readonly index: number
  readonly level: number
  readonly title: string
  /** Two lines for a heading that is underlined. */
  readonly takes: number
}

function headings(lines: readonly string[], from: number): Heading[] {
  const found: Heading[] = []
  let fence: string | undefined
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? ''
    fence = fenceAfter(line, fence)
    if (fence !== undefined || isFence(line)) continue
    const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line)
    if (atx?.[1] !== undefined) {
      found.push({ index, level: atx[1].length, title: atx[2] ?? '', takes: 1 })
      continue
    }
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[index + 1] ?? '')?.[1]
    const isText = /^\S/.test(line) && !/^([-*+>|#]|\d+[.)])/.test(line)
    const isAlone = index === from || /^\s*$|^ {0,3}#{1,6}\s/.test(lines[index - 1] ?? '')
    if (under !== undefined && under.length >= 3 && isText && isAlone) {
      found.push({ index, level: under.startsWith('=') ? 1 : 2, title: line.trim(), takes: 2 })
      index++
    }
  }
  return found
}

function isFence(line: string): boolean {
  return /^ {0,3}(`{3,}|~{3,})/.test(line)
}

/** The mark of the fence that is open after this line, if any. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const mark = /^\s*(`{3,}|~{3,})(.*)$/.exec(line)
  if (mark?.[1] === undefined) return open
  if (open === undefined) return mark[1]
  const closes = mark[1][0] === open[0] && mark[1].length >= open.length && (mark[2] ?? '').trim() === ''
  return closes ? undefined : open
}

/** The first line of front matter, a code block or a comment that is never closed: text added below it joins it. */
export function unclosedLine({ lines, frontMatter }: TextDocument): number | undefined {
  if (frontMatter.lines === 0 && lines[0]?.trimEnd() === '---') return 1
  let fence: string | undefined
  let comment = false
  let since = 0
  for (const [index, line] of lines.entries()) {
    if (comment) comment = !line.includes('-->')
    else {
      const before = fence
      fence = fenceAfter(line, fence)
      if (before === undefined && fence !== undefined) since = index + 1
      if (fence === undefined && before === undefined && /^\s*<!--(?!.*-->)/.test(line)) {
        comment = true
        since = index + 1
      }
    }
  }
  return fence !== undefined || comment ? since : undefined
}

const rule = /^ {0,3}(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$/
const itemStart = /^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S/

function blocksOf(body: readonly string[], firstLine: number): Block[] {
  const blocks: Block[] = []
  let index = 0
  while (index < body.length) {
    const line = body[index] ?? ''
    if (line.trim() === '') {
      index++
      continue
    }
    const start = index
    const fence = fenceAfter(line, undefined)
    if (fence !== undefined) {
      let open: string | undefined = fence
      index++
      while (index < body.length && open !== undefined) open = fenceAfter(body[index++] ?? '', open)
      const language = /^\s*[`~]+\s*([\w+-]*)/.exec(line)?.[1] ?? ''
      blocks.push({ kind: 'fence', line: firstLine + start, lines: body.slice(start, index), language })
      continue
    }
    const kind = kindOf(line)
    index =
      kind === 'item' ? itemEnd(body, start) : kind === 'comment' ? commentEnd(body, start) : paragraphEnd(body, start)
    blocks.push({ kind, line: firstLine + start, lines: body.slice(start, index) })
  }
  return blocks
}

function kindOf(line: string): BlockKind {
  if (itemStart.test(line)) return 'item'
  if (/^\s*<!--/.test(line)) return 'comment'
  return /^\s*\|/.test(line) ? 'table' : 'paragraph'
}

/** An item holds what is indented beneath it, blank lines between included. */
function itemEnd(body: readonly string[], start: number): number {
  const own = /^ */.exec(body[start] ?? '')?.[0].length ?? 0
  const inset = new RegExp(`^(?: {${own + 2},}|\\t)`)
  let end = start + 1
  let fence: string | undefined
  for (let index = start + 1; index < body.length; index++) {
    const line = body[index] ?? ''
    const isIndented = inset.test(line)
    if (fence !== undefined || (isIndented && isFence(line.trimStart()))) fence = fenceAfter(line, fence)
    else if (line.trim() === '') continue
    else if (
      !isIndented &&
      (itemStart.test(line) || rule.test(line) || end !== index || isFence(line) || /^\s*(\||<!--)/.test(line))
    )
      break
    end = index + 1
  }
  return end
}

function commentEnd(body: readonly string[], start: number): number {
  const closes = body.findIndex((line, index) => index >= start && line.includes('-->'))
  return closes < 0 ? body.length : closes + 1
}

function paragraphEnd(body: readonly string[], start: number): number {
  let index = start + 1
  while (index < body.length) {
    const line = body[index] ?? ''
    if (line.trim() === '' || isFence(line) || itemStart.test(line) || /^\s*<!--/.test(line) || rule.test(line)) break
    index++
  }
  return index
}

/** The same words, whatever marks, case and spaces they are written with. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[*_`~]+/g, '')
    .toLowerCase()
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/gm, '')
    .replace(/[.!:;,]+(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
