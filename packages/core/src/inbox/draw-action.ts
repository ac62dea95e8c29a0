// An action as a person reads it before they approve it, drawn from the same value that its digest covers.
//
// Every argument is shown, sorted by name. A text that could be mistaken for another value (a number, a boolean, null)
// is shown in quotes, because "4" and 4 are different actions.

import type { JsonObject, JsonValue } from '../json.ts'
import { askLimits } from '../limits.ts'
import { oneLine, visibleText } from '../screen/text.ts'
import { shownTitle } from './draw-field.ts'
import type { DrawnValue } from './view.ts'

// Shown in full: a part that is cut off would be approved unread.
const whole = { maxChars: 8 * askLimits.actionBytes }

export function drawArguments(given: JsonObject): DrawnValue[] {
  const names = Object.keys(given).sort()
  return names.map((name) => ({ name: shownTitle(name), ...drawValue(given[name] ?? null) }))
}

/** The whole value as indented JSON; for showing, never for a digest. */
export function drawJson(value: unknown): string {
  return visibleText(JSON.stringify(value, undefined, 2), 'web', whole)
}

function drawValue(value: JsonValue): Omit<DrawnValue, 'name'> {
  if (value === null) return { shape: 'plain', value: 'nothing (null)' }
  if (typeof value === 'string') return { shape: 'plain', value: drawString(value) }
  if (typeof value !== 'object') return { shape: 'plain', value: String(value) }
  return { shape: 'json', value: visibleText(JSON.stringify(value, undefined, 2), 'web', whole) }
}

function drawString(text: string): string {
  if (text === '') return '"" (empty text)'
  const isAmbiguous = /^(?:true|false|null|nothing.*|-?\d[\d.eE+-]*|".*")$/.test(text) || text.trim() !== text
  return isAmbiguous ? oneLine(JSON.stringify(text), 'web', whole) : visibleText(text, 'web', whole)
}
