// Prepares text for matching: plain lower-case words with one blank between them, with disguises removed.
//
// The result is only compared, never shown. A bar marks a pause (comma, colon, bracket).

import { withoutInvisible } from './characters.ts'
import { asLatin } from './lookalikes.ts'

const plainLetters: Readonly<Record<string, string>> = { æ: 'ae', đ: 'd', ı: 'i', ł: 'l', œ: 'oe', ø: 'o', ß: 'ss' }
const leetDigits: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

/** The sentences of a text, each in every way it can be read: as written, through look-alike letters, through digits. */
export function readSentences(text: string): string[][] {
  // A dot ends a sentence only before a blank, not in `api.key` and `p.a.s.s`.
  return text
    .split(/[!?;\n\r\u2028\u2029。！？؟]|\.(?=\s|$)/u)
    .map(readings)
    .filter(([first]) => first !== undefined && first.trim() !== '')
}

// Most text is plain ASCII: only digits can disguise it, and only its case has to be folded.
const ascii = /^[\x20-\x7e\t]*$/
const leet = /[A-Za-z][013457@$]+[A-Za-z]/

function readings(sentence: string): string[] {
  if (ascii.test(sentence) && !leet.test(sentence)) return [foldWords(sentence)]
  const plain = withoutInvisible(sentence.replace(/\s/gu, ' ')).normalize('NFKC')
  const latin = asLatin(plain.replace(/\p{Lu}/gu, (letter) => keepCase(letter)))
  const unleeted = latin
    .replace(/(?<=\p{Lu})[013457@$]+(?=\p{Lu})/gu, (run) => unleet(run).toUpperCase())
    .replace(/(?<=\p{L})[013457@$]+(?=\p{L})/gu, unleet)
  return [...new Set([plain, latin, unleeted])].map(foldWords)
}

function unleet(run: string): string {
  return Array.from(run, (digit) => leetDigits[digit]).join('')
}

/** A look-alike capital becomes a Latin capital, so that camel case like `myPаssword` is still split. */
function keepCase(letter: string): string {
  const lower = letter.toLowerCase()
  const latin = asLatin(lower)
  return latin === lower ? letter : latin.toUpperCase()
}

/** ` api key | optional ` for `apiKey (optional)`. */
export function foldWords(text: string): string {
  const words = (ascii.test(text) ? text : foldLetters(text))
    // The dot makes it the name of a file that holds secrets.
    .replace(/(?<![\w.])\.env(?![\w.])/gi, ' dotenv ')
    .replace(/[\p{L}\p{N}]+/gu, splitHumps)
    .toLowerCase()
    .replace(/[,:()[\]{}"“”„«»/|、，：（）–—]/gu, ' | ')
    .replace(/[^\p{L}\p{N}|]+/gu, ' ')
    .trim()
  return ` ${joinSpelled(words)} `
}

function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKD')
      // Removes accents but keeps the two kana marks, which make different letters.
      .replace(/(?![\u3099\u309A])\p{Mn}/gu, '')
      .normalize('NFKC')
      .replace(/[æđıłœøß]/giu, (letter) => plainLetters[letter.toLowerCase()] as string)
  )
}

const digitEdges = /(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu
/** A chunk that changes between letters and digits this often is an id (a commit, a UUID), whose parts are not words. */
const digitEdgesOfIds = 6

/** `githubAPIKey2` is four words; `pAsSwOrD` is one word in disguise. */
function splitHumps(chunk: string): string {
  if (/^[A-Z]?[a-z]+$/.test(chunk)) return chunk
  const isId = (chunk.match(digitEdges)?.length ?? 0) >= digitEdgesOfIds
  const words = chunk
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, ' ')
    .replace(isId ? /(?!)/u : digitEdges, ' ')
    .replace(/(?<=[a-z])(?=[^\x20-\x7F])|(?<=[^\x20-\x7F])(?=[a-z])/giu, ' ')
  const count = words.split(' ').length
  return count >= 3 && chunk.length / count < 2.5 ? chunk : words
}

/** `p a s s w o r d` is one word. */
function joinSpelled(words: string): string {
  return words.replace(/(?<![^ ])(?:\p{L} ){3,}\p{L}(?![^ ])/gu, (spelled) => spelled.replaceAll(' ', ''))
}
