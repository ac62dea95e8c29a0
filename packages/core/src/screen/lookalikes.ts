// Letters that pass for a Latin one, row by row.
//
// `twins` cannot be told apart in common fonts and are what host names are judged by. `cousins` fool a hurried reader,
// or only as capitals; they are good enough to read a field name through its disguise, and too many to refuse a host by:
// half of all Russian words would be suspects. The selection follows Unicode's confusables.txt; it is not the whole of it.

const twins = {
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

const cousins = {
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

const latinOfTwin = readTable(twins)
const latinOfAny = new Map([...latinOfTwin, ...readTable(cousins)])

/** True when every letter is a Latin look-alike, a digit or a hyphen: the word can pass for a Latin one. */
export function passesForLatin(word: string): boolean {
  let disguised = false
  for (const letter of word) {
    if (/[a-z0-9-]/.test(letter)) continue
    if (!latinOfTwin.has(letter)) return false
    disguised = true
  }
  return disguised
}

/** The Latin text a hurried reader would take this for. Expects lower case. */
export function asLatin(text: string): string {
  return Array.from(text, (letter) => latinOfAny.get(letter) ?? letter).join('')
}

function readTable(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([latin, others]) => Array.from(others, (letter) => [letter, latin] as const)),
  )
}
