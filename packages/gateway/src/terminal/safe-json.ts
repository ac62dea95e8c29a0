// JSON for a terminal: the same value, with everything escaped that a terminal would obey or not show.

import { oneLine } from '@assent/core'

/** Names in it may be as servers wrote them. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (character) =>
    oneLine(character, 'terminal') === character ? character : unitsOf(character),
  )
}

function unitsOf(character: string): string {
  const unit = (at: number) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  return Array.from({ length: character.length }, (_, at) => unit(at)).join('')
}

/** One line for a terminal, of text in which some parts were made visible before: those stay as they are. */
export function safeLine(text: string): string {
  return text.replace(/[^\x20-\x7e⟨⟩]/gu, (character) => oneLine(character, 'terminal'))
}
