// An action as a person reads it before they approve it, drawn from the same bytes that its digest names.
//
// Every argument is shown, by name in order. A text that could be taken for something else (a number, a
// yes, nothing at all) is shown in quotes, because "4" and 4 are different actions.

import type { JsonObject, JsonValue } from '../json.ts'
import { askLimits } from '../limits.ts'
import { oneLine, visibleText } from '../screen/text.ts'
import { shownTitle } from './draw-field.ts'
import type { DrawnValue } from './view.ts'

// What an operator allowed to be asked is shown whole: a part that is cut off would be approved unread.
const whole = { maxChars: 8 * askLimits.actionBytes }

export function drawArguments(given: JsonObject): DrawnValue[] {
  const names = Object.keys(given).sort()
  return names.map((name) => ({ name: shownTitle(name), ...drawValue(given[name] ?? null) }))
}

/** The whole of it, as JSON that can be read; for showing, never for a digest. */
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
