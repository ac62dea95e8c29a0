// Invisible characters, and characters that change how their neighbours are shown.
//
// One class for text, links and field names, built on Unicode properties so that a new version of Unicode adds its new
// controls by itself. The callers decide what to do with them.

// Blanks that Unicode does not call ignorable: rare spaces, Braille without dots, an empty note head, the Khitan filler
// and the object placeholder. The spaces of ordinary French and Japanese (U+00A0, U+2009, U+202F, U+3000) are not here.
const blanks = String.raw`\u1680\u2000-\u2008\u200A\u205F\u2800\uFFFC\u{16FE4}\u{1D159}`

// The font decides how private-use characters look, so one could show a padlock.
const invisibleClass = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}${blanks}`

const invisible = new RegExp(`[${invisibleClass}]`, 'u')
const everyInvisible = new RegExp(`[${invisibleClass}]`, 'gu')

/** Whether the text has an invisible character: control, bidi, zero-width, tag, private use, unpaired surrogate. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

/** For comparing only, never for showing: it would hide that invisible characters were there. */
export function withoutInvisible(text: string): string {
  return text.replace(everyInvisible, '')
}

/** How a character that must not be shown raw is written: `⟨U+202E⟩`. */
export function escapeOf(character: string): string {
  const codePoint = character.codePointAt(0) as number
  return `⟨U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
