// Text from a server, made safe to show: every character a person sees is a character that is there, and the reverse.
//
// Nothing is removed. What cannot be seen, or would move or disguise its neighbours, is written as ⟨U+202E⟩, the same on
// every surface. Whatever stands between ⟨ and ⟩ was said by us: those two brackets are themselves escaped when a server
// sends them. For that reason text is made visible once, at the edge; doing it twice escapes our own escapes.
// This is not HTML escaping: the web surface puts the result in a text node.

import { askLimits } from '../limits.ts'
import { escapeOf, hasUnseen } from './characters.ts'

export type TextSurface = 'web' | 'terminal'

export interface TextOptions {
  /** The longest result in UTF-16 units, before the remark on what was left out. */
  readonly maxChars?: number
}

/** More marks than any living language puts on one letter are there to spill over the lines around it. */
const marksPerLetter = 4

const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\uFE0E\uFE0F]?`
const emojiSequence = String.raw`${emoji}(?:\u200D${emoji}){0,4}|[0-9#*]\uFE0F\u20E3`

// A joiner stays only where it changes the shape of the letters, and so is seen: after an Arabic letter that would have
// joined the next one, and after a virama (RFC 5892, appendix A, narrowed to the letters of everyday use).
const arabicBase = String.raw`[\u0626\u0628\u062A-\u062E\u0633-\u063A\u0641-\u0647\u064A\u0679\u067E\u0686\u06A4\u06A9\u06AF\u06BE\u06C1\u06CC]`
const arabicJoined = String.raw`(?:${arabicBase}\u200C){1,4}[\u0622-\u063A\u0641-\u064A\u0671-\u06D3]`
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`
const viramaJoined = String.raw`${virama}[\u200C\u200D](?=[\u0900-\u0DFF])\p{L}`

// A terminal without shaping draws those joiners as nothing at all, so there they are escaped.
const pieces: Record<TextSurface, RegExp> = {
  web: new RegExp(String.raw`\r\n|${emojiSequence}|${arabicJoined}|${viramaJoined}|[\s\S]`, 'gu'),
  terminal: new RegExp(String.raw`\r\n|${emojiSequence}|[\s\S]`, 'gu'),
}

// A raw tab moves a terminal's cursor past what was drawn there before, without clearing it.
const tabs: Record<TextSurface, string> = { web: '\t', terminal: '    ' }

const mark = /^\p{M}/u
const ours = /[⟨⟩]/

/** For messages and descriptions: keeps lines and tabs. */
export function visibleText(text: string, surface: TextSurface, options: TextOptions = {}): string {
  return draw(text, surface, { '\n': '\n', '\r\n': '\n', '\t': tabs[surface] }, options)
}

/** For names and titles: a line break or a tab is shown as an escape, so nothing can pretend to be a line of ours. */
export function oneLine(text: string, surface: TextSurface, options: TextOptions = {}): string {
  return draw(text, surface, {}, options)
}

/** What was made visible for the web already, for a terminal: the few things that only a browser draws are escaped too. */
export function shownInTerminal(shown: string): string {
  return shown.replace(pieces.terminal, (piece) =>
    /^[\u200C\u200D]$/.test(piece) ? escapeOf(piece) : (afterWeb[piece] ?? piece),
  )
}

/** The same on one line: nothing in it can pretend to be a line of ours. */
export function shownOnOneLine(shown: string): string {
  return shownInTerminal(shown).replaceAll('\n', escapeOf('\n'))
}

const afterWeb: Readonly<Record<string, string>> = { '\r\n': '\n', '\t': tabs.terminal }

function draw(
  text: string,
  surface: TextSurface,
  layout: Readonly<Record<string, string>>,
  { maxChars = askLimits.messageChars }: TextOptions,
): string {
  let shown = ''
  // Marks on the letter before. None may follow a line break, an escape or nothing: they would sit on words of ours.
  let marks = marksPerLetter
  for (const { 0: piece, index } of text.matchAll(pieces[surface])) {
    const stands = layout[piece] ?? standsFor(piece, marks)
    // Written as "not within", so that a limit that is not a number shows nothing instead of everything.
    if (!(shown.length + stands.length <= maxChars)) return shown + leftOut(text.slice(index))
    shown += stands
    marks = marksAfter(piece, stands, marks)
  }
  return shown
}

function standsFor(piece: string, marks: number): string {
  if (piece === '\r\n' || (mark.test(piece) && marks >= marksPerLetter)) return Array.from(piece, escapeOf).join('')
  // More than one character was matched as a known good sequence; a single one must stand for itself.
  if (Array.from(piece).length > 1) return piece
  return hasUnseen(piece) || ours.test(piece) ? escapeOf(piece) : piece
}

function marksAfter(piece: string, stands: string, marks: number): number {
  if (stands !== piece || piece === '\n' || piece === '\t') return marksPerLetter
  return mark.test(piece) ? marks + 1 : 0
}

function leftOut(rest: string): string {
  let characters = 0
  for (const _ of rest) characters++
  return `⟨${characters.toLocaleString('en-US')} more character${characters === 1 ? '' : 's'}⟩`
}
