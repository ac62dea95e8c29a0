// What looked like a secret when it was sent. A draft contains no part of it, until the person has replaced the text.
//
// The page does not know which of the texts was meant, so it treats all that were sent alike.

import type { FieldValue } from '../form/form-values.ts'
import type { Written } from './answer-of.ts'

/** A shorter text is no secret; a text that has so many characters in a row of a flagged one may still contain it. */
const runChars = 8

export function textsOf({ comment, values }: Written): readonly string[] {
  return [comment, ...[...values.values()].map(textOf)].filter((text) => text.length >= runChars)
}

/** The part that may be stored. */
export function withoutTexts({ comment, values }: Written, flagged: readonly string[]): Written {
  const isClean = (value: FieldValue) => !flagged.some((text) => sharesRun(textOf(value), text))
  return {
    comment: isClean(comment) ? comment : '',
    values: new Map([...values].filter(([, value]) => isClean(value))),
  }
}

function textOf(value: FieldValue): string {
  return typeof value === 'object' ? value.join('\n') : String(value)
}

function sharesRun(text: string, flagged: string): boolean {
  for (let at = 0; at + runChars <= flagged.length; at++) {
    if (text.includes(flagged.slice(at, at + runChars))) return true
  }
  return false
}
