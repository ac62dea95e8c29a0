// Makes text from a server safe to show: a person sees exactly the characters that are there.
//
// Nothing is removed. A character that is invisible, or that would move or disguise its neighbours, is written as
// ⟨U+202E⟩ on every surface. Text between ⟨ and ⟩ is always ours: these brackets are escaped when a server sends them.
// Therefore text is made visible once, at the edge; doing it twice would escape our own escapes.
// This is not HTML escaping: the web surface puts the result in a text node.

import { askLimits } from '../limits.ts'
import { escapeOf, hasInvisible } from './characters.ts'

export type TextSurface = 'web' | 'terminal'

export interface TextOptions {
  /** The longest result in UTF-16 units, before the note about the rest. */
  readonly maxChars?: number
}

/** More than any living language uses: further marks would only cover the lines around them. */
const marksPerLetter = 4

const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\uFE0E\uFE0F]?`
const emojiSequence = String.raw`${emoji}(?:\u200D${emoji}){0,4}|[0-9#*]\uFE0F\u20E3`

// A joiner stays only where it changes the shape of the letters, and so is seen: after an Arabic letter that would have
// joined the next one, and after a virama (RFC 5892, appendix A, narrowed to the letters of everyday use).
const arabicBase = String.raw`[\u0626\u0628\u062A-\u062E\u0633-\u063A\u0641-\u0647\u064A\u0679\u067E\u0686\u06A4\u06A9\u06AF\u06BE\u06C1\u06CC]`
const arabicJoined = String.raw`(?:${arabicBase}\u200C){1,4}[\u0622-\u063A\u0641-\u064A\u0671-\u06D3]`
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`
const viramaJoined = String.raw`${virama}[\u200C\u200D](?=[\u0900-\u0DFF])\p{L}`

// A terminal without text shaping does not draw these joiners, so they are escaped there.
const pieces: Record<TextSurface, RegExp> = {
  web: new RegExp(String.raw`\r\n|${emojiSequence}|${arabicJoined}|${viramaJoined}|[\s\S]`, 'gu'),
  terminal: new RegExp(String.raw`\r\n|${emojiSequence}|[\s\S]`, 'gu'),
}

// A raw tab moves a terminal's cursor past what was drawn there before, without clearing it.
const tabs: Record<TextSurface, string> = { web: '\t', terminal: '    ' }

const mark = /^\p{M}/u
const ourBrackets = /[⟨⟩]/

/** For messages and descriptions: keeps lines and tabs. */
export function visibleText(text: string, surface: TextSurface, options: TextOptions = {}): string {
  return draw(text, surface, { '\n': '\n', '\r\n': '\n', '\t': tabs[surface] }, options)
}

/** For names and titles: a line break or a tab is shown as an escape, so it cannot imitate a line of ours. */
export function oneLine(text: string, surface: TextSurface, options: TextOptions = {}): string {
  return draw(text, surface, {}, options)
}

/** Converts text that was made visible for the web to terminal text: characters that only a browser draws are escaped. */
export function shownInTerminal(shown: string): string {
  return shown.replace(pieces.terminal, (piece) =>
    /^[\u200C\u200D]$/.test(piece) ? escapeOf(piece) : (afterWeb[piece] ?? piece),
  )
}

/** The same on one line, so it cannot imitate a line of ours. */
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
  // Marks on the letter before. None may follow a line break, an escape or the start: they would attach to our text.
  let marks = marksPerLetter
  for (const { 0: piece, index } of text.matchAll(pieces[surface])) {
    const drawn = layout[piece] ?? drawPiece(piece, marks)
    // Written as "not within", so that a limit that is not a number shows nothing instead of everything.
    if (!(shown.length + drawn.length <= maxChars)) return shown + leftOut(text.slice(index))
    shown += drawn
    marks = marksAfter(piece, drawn, marks)
  }
  return shown
}

function drawPiece(piece: string, marks: number): string {
  if (piece === '\r\n' || (mark.test(piece) && marks >= marksPerLetter)) return Array.from(piece, escapeOf).join('')
  // Only known good sequences match as several characters; a single character must be visible.
  if (Array.from(piece).length > 1) return piece
  return hasInvisible(piece) || ourBrackets.test(piece) ? escapeOf(piece) : piece
}

function marksAfter(piece: string, drawn: string, marks: number): number {
  if (drawn !== piece || piece === '\n' || piece === '\t') return marksPerLetter
  return mark.test(piece) ? marks + 1 : 0
}

function leftOut(rest: string): string {
  let characters = 0
  for (const _ of rest) characters++
  return `⟨${characters.toLocaleString('en-US')} more character${characters === 1 ? '' : 's'}⟩`
}
