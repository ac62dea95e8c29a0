// Options of a choice that a person could misread.
//
// A form with two options that look the same is refused. An option whose label means yes and whose value means no (or the
// other way round) is allowed, and both are shown. Texts are compared and never changed.

import type { Field, Option } from '../form/form.ts'
import { withoutInvisible } from './characters.ts'
import { asLatin } from './lookalikes.ts'
import { anywhere } from './term-patterns.ts'
import { oneLine } from './text.ts'
import { foldWords } from './words.ts'
import { noTerms, yesTerms } from './yes-no-terms.ts'

/** Why the form must not be shown, in text that is safe to show; undefined when its options can be distinguished. */
export function screenOptions(fields: Iterable<Field>): string | undefined {
  for (const field of fields) {
    if (field.kind !== 'choice' && field.kind !== 'choices') continue
    const same = sameReading(field.options.map(textOf))
    if (same !== undefined) {
      const [one, other] = same.map((text) => `"${oneLine(text, 'web')}"`)
      const name = oneLine(field.title ?? field.name, 'web')
      return `Two options of "${name}" read the same to a person: ${one} and ${other}. Give each option its own text.`
    }
  }
  return undefined
}

/** Whether the label of an option means yes and its value no, or the other way round. */
export function contradicts({ value, label = value }: Option): boolean {
  if (label === value) return false
  return (hasTerm(yes, label) && hasTerm(no, value)) || (hasTerm(no, label) && hasTerm(yes, value))
}

/** As written, or with look-alike letters replaced. */
function hasTerm(terms: RegExp, text: string): boolean {
  return terms.test(foldWords(text)) || terms.test(foldWords(asLatin(fold(text))))
}

const yes = anywhere(yesTerms)
const no = anywhere(noTerms)

function textOf({ value, label = value }: Option): string {
  return label
}

function sameReading(texts: readonly string[]): readonly [string, string] | undefined {
  const known = new Map<string, string[]>()
  for (const text of texts) {
    const folded = fold(text)
    const look = asLatin(folded)
    const similar = known.get(look) ?? []
    const twin = similar.find((other) => looksLike(folded, fold(other)))
    if (twin !== undefined) return [twin, text]
    known.set(look, [...similar, text])
  }
  return undefined
}

/** Removes what does not distinguish two options: case, width, hidden characters and spaces. */
function fold(text: string): string {
  return withoutInvisible(text.normalize('NFKC').replace(/\s+/gu, ' ')).toLowerCase().replace(/ +/g, ' ').trim()
}

/**
 * Whether two texts that `asLatin` maps to the same text can be confused. Where they differ, the letters must be of
 * different scripts: the table maps both Cyrillic "и" and "п" to a Latin "n", and no reader confuses those two.
 */
function looksLike(one: string, other: string): boolean {
  const letters = Array.from(other)
  return Array.from(one).every((letter, at) => letter === letters[at] || scriptOf(letter) !== scriptOf(letters[at]))
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew'].map(
  (name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const,
)

function scriptOf(letter = ''): string {
  return scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'other'
}
