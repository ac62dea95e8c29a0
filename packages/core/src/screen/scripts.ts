// Which writing systems one word of a host name is written in, after the restriction levels of Unicode UTS #39.
//
// A word in one script can still imitate a word in another; see lookalikes.ts.

/** Scripts in everyday modern use (UAX #31, table 5). */
const everyday = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Han',
  'Hangul',
  'Hebrew',
  'Hiragana',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
] as const
type Script = (typeof everyday)[number]

/** Chinese, Japanese and Korean are written with several scripts, and with Latin letters among them. */
const together: readonly (readonly Script[])[] = [
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
]

/** Their letters look so much like Latin ones that a mixture is always suspicious. */
const latinLike: readonly Script[] = ['Armenian', 'Cyrillic', 'Greek']

const oneWriting = [...everyday.map((script) => [script]), ...together].map(writtenIn)
const withLatin = everyday.filter((script) => !latinLike.includes(script)).map((script) => writtenIn(['Latin', script]))
const anyEveryday = new RegExp(`[${everyday.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u')

/**
 * - `one`: a single writing system, as people write
 * - `with-latin`: Latin letters among those of another script
 * - `mixed`: anything else; no language is written like that
 * - `rare`: a script whose letters few readers can distinguish
 */
export type ScriptMix = 'one' | 'with-latin' | 'mixed' | 'rare'

export function scriptMixOf(word: string): ScriptMix {
  if (oneWriting.some((written) => written.test(word))) return 'one'
  if (withLatin.some((written) => written.test(word))) return 'with-latin'
  return anyEveryday.test(word) ? 'mixed' : 'rare'
}

/** True when both texts are written in one and the same script other than Latin, as `пример` and `рф` are. */
export function shareScript(one: string, other: string): boolean {
  return everyday.some((script) => script !== 'Latin' && hasOnly(script, one) && hasOnly(script, other))
}

function hasOnly(script: Script, text: string): boolean {
  return new RegExp(`^[\\p{Script=${script}}\\p{N}-]+$`, 'u').test(text) && /\p{L}/u.test(text)
}

function writtenIn(scripts: readonly Script[]): RegExp {
  const letters = scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')
  return new RegExp(`^[${letters}\\p{Script_Extensions=Common}\\p{Script_Extensions=Inherited}]*$`, 'u')
}
