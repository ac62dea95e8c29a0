// Letters that look like a Latin one, by Latin letter.
//
// `identical` letters cannot be distinguished in common fonts; host names are checked for these. `similar` letters mislead
// a hurried reader, or only as capitals. They are used to recognise disguised field names; for hosts they would flag half
// of all Russian words. The selection follows Unicode's confusables.txt and is not complete.

const identical = {
  a: 'аαɑ',
  b: 'ьƅ',
  c: 'сϲᴄ',
  d: 'ԁ',
  e: 'еҽ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іιɩı',
  j: 'јյϳ',
  k: 'κĸ',
  l: 'ӏǀןו',
  n: 'ոηпח',
  o: 'оοօσסᴏ',
  p: 'рρԗ',
  q: 'ԛզ',
  r: 'гᴦ',
  s: 'ѕƽꜱ',
  t: 'τ',
  u: 'սυᴜ',
  v: 'νѵᴠ',
  w: 'ԝѡωաᴡ',
  x: 'хχ',
  y: 'уγʏ',
  z: 'ᴢ',
} as const

const similar = {
  a: 'ᴀ',
  b: 'вβʙ',
  d: 'ᴅđ',
  e: 'εєᴇ',
  g: 'ɢ',
  h: 'нʜ',
  i: 'ɪ',
  j: 'ᴊ',
  k: 'кᴋ',
  l: 'ʟł',
  m: 'мμᴍ',
  n: 'иɴ',
  o: 'øө',
  p: 'ᴘ',
  r: 'яʀ',
  t: 'тᴛ',
  z: 'ζ',
} as const

const latinOfIdentical = readTable(identical)
const latinOfAny = new Map([...latinOfIdentical, ...readTable(similar)])

/** True when every letter is a Latin look-alike, a digit or a hyphen: the word can pass for a Latin one. */
export function passesForLatin(word: string): boolean {
  let disguised = false
  for (const letter of word) {
    if (/[a-z0-9-]/.test(letter)) continue
    if (!latinOfIdentical.has(letter)) return false
    disguised = true
  }
  return disguised
}

/** The Latin text that this looks like to a hurried reader. Expects lower case. */
export function asLatin(text: string): string {
  return Array.from(text, (letter) => latinOfAny.get(letter) ?? letter).join('')
}

function readTable(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([latin, others]) => Array.from(others, (letter) => [letter, latin] as const)),
  )
}
