// JSON and text for a terminal, with all control and invisible characters escaped.

import { oneLine, visibleText } from '@assent/core'

/** Also escapes property names, which may come from servers. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (character) =>
    oneLine(character, 'terminal') === character ? character : unitsOf(character),
  )
}

function unitsOf(character: string): string {
  const unit = (at: number) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  return Array.from({ length: character.length }, (_, at) => unit(at)).join('')
}

/** Text on one line for a terminal. Parts that are already escaped (⟨…⟩) stay as they are. */
export function safeLine(text: string): string {
  return text.replace(/[^\x20-\x7e⟨⟩]/gu, (character) => oneLine(character, 'terminal'))
}

/** The same on several lines. */
export function safeLines(text: string): string {
  const parts = text.split(/([⟨⟩])/).map((part, at) => (at % 2 === 1 ? part : visible(part)))
  return parts.join('')
}

function visible(text: string): string {
  return visibleText(text, 'terminal', { maxChars: Number.POSITIVE_INFINITY })
}
