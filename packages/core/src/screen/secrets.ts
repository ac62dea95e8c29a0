// Does a form ask for a secret? A form's answers pass through clients and models, so the protocol forbids it there.
//
// It reads words, not intentions: it catches what a careless server writes and the disguises it knows, and cannot catch
// a server that asks for a secret without naming it. Names and short titles are read as labels, where a secret's name is
// enough; sentences must also ask. It judges what is asked; secret-shapes.ts judges what is answered.

import * as context from './secret-context.ts'
import { certainTerms, doubtfulTerms, secretFiles } from './secret-terms.ts'
import { anywhere, atEnd, atStart, everyOne, matchesOf } from './term-patterns.ts'
import { oneLine } from './text.ts'
import { readSentences } from './words.ts'

/** Any field model fits that has these; a field without `kind` is taken to accept anything. */
export interface ScreenedField {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly kind?: string
}

export type AskedIn = 'name' | 'title' | 'description' | 'message'

export interface SecretFinding {
  /** The field's name as the server gave it; absent when the message asks. */
  readonly field?: string
  readonly where: AskedIn
  /** The words that gave it away, folded to plain lower case. */
  readonly term: string
  /** Safe to show. */
  readonly reason: string
}

const certain = everyOne(Object.values(certainTerms).join('|'))
const doubtful = everyOne(doubtfulTerms, 'singular')
const files = everyOne(secretFiles)
const contentBefore = everyOne(context.contentBefore)
const aboutAfter = atStart(context.aboutAfter)
const stateAfter = atStart(context.stateAfter)
const aboutBefore = atEnd(context.aboutBefore)
const doneBefore = atEnd(context.doneBefore)
const phraseEnds = atStart(context.phraseEnds)
const sameThing = everyOne(context.sameThing)
const cueBefore = everyOne(context.cueBefore)
const cueAfter = anywhere(context.cueAfter)
const cueEnds = anywhere(context.cueEnds)
const refusing = anywhere(context.refusing)
const refusingAfter = anywhere(context.refusingAfter)
const notRefusing = anywhere(context.notRefusing)
const postal = anywhere(context.postal)

/** How far around a secret's name its meaning is looked for; it also keeps the work per name bounded. */
const nearbyChars = 80
const labelWords = 4
const wordsAfterCue = 7
const wordsBeforeHead = 3

/** Every place where the form asks for a secret; none for a form that cannot carry one. */
export function screenForSecrets(fields: Iterable<ScreenedField>, message?: string): SecretFinding[] {
  const all = [...fields]
  // A person who can only tick or pick hands over nothing the server did not already know.
  if (!all.some(isTyped)) return []
  const isAddress = () => all.some(({ name, title = '' }) => isPostal(`${name}. ${title}`))

  const found = all.flatMap((field) => {
    const places = isTyped(field) ? (['name', 'title', 'description'] as const) : (['description'] as const)
    return places.flatMap((where) => findingIn(where, field[where], isAddress, field.name))
  })
  return [...found, ...findingIn('message', message, isAddress)]
}

function isPostal(text: string): boolean {
  return readSentences(text)
    .flat()
    .some((reading) => postal.test(reading))
}

function isTyped({ kind }: ScreenedField): boolean {
  return kind !== 'boolean' && kind !== 'choice' && kind !== 'choices'
}

function findingIn(
  where: AskedIn,
  text: string | undefined,
  isAddress: () => boolean,
  field?: string,
): SecretFinding[] {
  const term = text === undefined ? undefined : secretAskedFor(text, where, isAddress)
  if (term === undefined) return []
  const place =
    field === undefined ? 'The message' : `The ${where} of the field “${oneLine(field, 'terminal', { maxChars: 64 })}”`
  const reason = `${place} asks for a secret (“${term}”). A form must not ask for a secret: it is handed over on a page, by URL.`
  return [{ ...(field !== undefined && { field }), where, term, reason }]
}

// Servers say the same few things again and again: a text without any secret's name in it is read once, while there is
// room to remember it.
const innocent = new Set<string>()
const innocentTexts = 1_024
const innocentChars = 256

function secretAskedFor(text: string, where: AskedIn, isAddress: () => boolean): string | undefined {
  if (innocent.has(text)) return undefined
  let isInnocent = true
  for (const reading of readSentences(text).flat()) {
    const sentence = reading.replace(sameThing, '').replace(/ +/g, ' ')
    const words = countWords(sentence)
    for (const { 0: term, index } of matchesOf(certain, sentence)) {
      isInnocent = false
      if (isAskedFor(readNearby(sentence, words, index, term, where), where)) return term
    }
    for (const { 0: term, index } of matchesOf(doubtful, sentence)) {
      isInnocent = false
      // India's postal code is called PIN code.
      if (/^pin ?code/.test(term) && isAddress()) continue
      const nearby = readNearby(sentence, words, index, term, where)
      if (endsPhrase(nearby.after) && isAskedFor(nearby, where)) return term
    }
  }
  for (const sentence of readSentences(text).flat()) {
    const words = countWords(sentence)
    for (const { 0: term, index } of matchesOf(files, sentence)) {
      isInnocent = false
      if (isContentAskedFor(readNearby(sentence, words, index, term, where), where)) return term
    }
  }
  if (isInnocent && text.length <= innocentChars) {
    if (innocent.size >= innocentTexts) innocent.clear()
    innocent.add(text)
  }
  return undefined
}

interface Nearby {
  readonly before: string
  readonly after: string
  readonly isLabel: boolean
}

function readNearby(sentence: string, words: number, start: number, term: string, where: AskedIn): Nearby {
  const end = start + term.length
  const before = sentence.slice(Math.max(0, start - nearbyChars), start)
  const after = sentence.slice(end, end + nearbyChars)
  // In a title each clause is a label of its own: `OpenAI key (API key)`.
  const clauseWords = countWords(clauseEnd(before)) + 1 + countWords(clauseStart(after))
  return {
    // A blank, so that `reset` is a word of its own in `resetpassword`.
    before: before.endsWith(' ') ? before : `${before} `,
    after,
    isLabel: where === 'name' || (where === 'title' ? clauseWords : words) <= labelWords,
  }
}

function isAskedFor({ before, after, isLabel }: Nearby, where: AskedIn): boolean {
  if (aboutAfter.test(after) || stateAfter.test(after) || aboutBefore.test(before)) return false
  if (isRefused(before, after)) return false
  if (where !== 'name' && (hasCueBefore(before) || cueAfter.test(after))) return true
  if (isLabel) return !doneBefore.test(before)
  return where !== 'message' && isHead(before, after)
}

/** `Paste the contents of ~/.ssh/id_rsa`, or `Your .env file` as the label of a field to type in. */
function isContentAskedFor({ before, after, isLabel }: Nearby, where: AskedIn): boolean {
  if (aboutAfter.test(after) || isRefused(before, after)) return false
  for (const { 0: cue, index } of matchesOf(contentBefore, before)) {
    const between = before.slice(index + cue.length)
    if (countWords(between) <= wordsAfterCue && !pathBefore.test(between)) return true
  }
  return isLabel && where !== 'name' && !aboutBefore.test(before) && / your (?:\| )*(?:ssh \| )?$/.test(before)
}

const pathBefore = / (?:path|name|location|url|link|called|named|where|which)s? /

/** `never enter your password`, unless it is `never forget to enter`. Only within the clause. */
function isRefused(before: string, after: string): boolean {
  const clause = clauseEnd(before)
  return (refusing.test(clause) && !notRefusing.test(clause)) || refusingAfter.test(after)
}

function hasCueBefore(before: string): boolean {
  for (const { 0: cue, index } of matchesOf(cueBefore, before)) {
    const between = before.slice(index + cue.length)
    if (countWords(between) <= wordsAfterCue && !cueEnds.test(between)) return true
  }
  return false
}

/** `New password for the admin account`: the sentence begins with the secret and goes on to say which. */
function isHead(before: string, after: string): boolean {
  const clause = clauseEnd(before)
  const opens = clause === before || /^ your /.test(clause)
  return opens && countWords(clause) <= wordsBeforeHead && !doneBefore.test(clause) && endsPhrase(after)
}

function endsPhrase(after: string): boolean {
  return /^ (?:$|\||\p{N})/u.test(after) || phraseEnds.test(after)
}

function clauseEnd(before: string): string {
  return before.slice(before.lastIndexOf('|') + 1)
}

function clauseStart(after: string): string {
  return after.split('|', 1)[0] as string
}

function countWords(text: string): number {
  return text.split(' ').filter((word) => word !== '' && word !== '|').length
}
