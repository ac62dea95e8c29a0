// Characters a person cannot see, or that change how their neighbours are shown.
//
// One class for text, links and field names alike, built on Unicode's own properties so that a new version of Unicode
// adds its new controls by itself. It says nothing of what to do with them.

// Blanks that Unicode does not call ignorable: rare spaces, Braille without dots, an empty note head, the Khitan filler
// and the object placeholder. The spaces of ordinary French and Japanese (U+00A0, U+2009, U+202F, U+3000) are not here.
const blanks = String.raw`\u1680\u2000-\u2008\u200A\u205F\u2800\uFFFC\u{16FE4}\u{1D159}`

// Private characters look as the font decides, so one could draw a padlock with them.
const unseenClass = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}${blanks}`

const unseen = new RegExp(`[${unseenClass}]`, 'u')
const everyUnseen = new RegExp(`[${unseenClass}]`, 'gu')

/** True when the text holds a control, bidi, zero-width, tag, private, half or otherwise invisible character. */
export function hasUnseen(text: string): boolean {
  return unseen.test(text)
}

/** For comparing only, never for showing: dropping what cannot be seen would hide that it was there. */
export function withoutUnseen(text: string): string {
  return text.replace(everyUnseen, '')
}

/** The one way we write a character that must not stand for itself: `⟨U+202E⟩`. */
export function escapeOf(character: string): string {
  const codePoint = character.codePointAt(0) as number
  return `⟨U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
