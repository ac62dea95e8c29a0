// Does a form ask for a secret? A form's answers pass through clients and models, so the protocol forbids it there.
//
// It matches words: it finds what a careless server writes and known disguises, but not a request that never names the
// secret. In names and short titles (labels) the name of a secret is enough; sentences must also ask for it. This module
// checks questions; secret-shapes.ts checks answers.

import * as context from './secret-context.ts'
import { certainTerms, doubtfulTerms, secretFiles } from './secret-terms.ts'
import { anywhere, atEnd, atStart, everyEntry, matchesOf } from './term-patterns.ts'
import { oneLine } from './text.ts'
import { readSentences } from './words.ts'

/** Any field type with these members; a field without `kind` accepts anything. */
export interface ScreenedField {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly kind?: string
}

export type QuestionPart = 'name' | 'title' | 'description' | 'message'

export interface SecretFinding {
  /** The field's name as the server gave it; absent when the message asks. */
  readonly field?: string
  readonly where: QuestionPart
  /** The matched words, folded to plain lower case. */
  readonly term: string
  /** Safe to show. */
  readonly reason: string
}

const certain = everyEntry(Object.values(certainTerms).join('|'))
const doubtful = everyEntry(doubtfulTerms, 'singular')
const files = everyEntry(secretFiles)
const contentBefore = everyEntry(context.contentBefore)
const aboutAfter = atStart(context.aboutAfter)
const stateAfter = atStart(context.stateAfter)
const aboutBefore = atEnd(context.aboutBefore)
const doneBefore = atEnd(context.doneBefore)
const phraseEnds = atStart(context.phraseEnds)
const sameThing = everyEntry(context.sameThing)
const cueBefore = everyEntry(context.cueBefore)
const cueAfter = anywhere(context.cueAfter)
const cueEnds = anywhere(context.cueEnds)
const refusing = anywhere(context.refusing)
const refusingAfter = anywhere(context.refusingAfter)
const notRefusing = anywhere(context.notRefusing)
const postal = anywhere(context.postal)

/** How far around a secret's name the context is read; this also bounds the work per name. */
const nearbyChars = 80
const labelWords = 4
const wordsAfterCue = 7
const wordsBeforeHead = 3

/** Every place where the form asks for a secret; none for a form that cannot carry one. */
export function screenForSecrets(fields: Iterable<ScreenedField>, message?: string): SecretFinding[] {
  const all = [...fields]
  // A person who can only tick or choose gives the server no text that it did not know.
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
  where: QuestionPart,
  text: string | undefined,
  isAddress: () => boolean,
  field?: string,
): SecretFinding[] {
  const term = text === undefined ? undefined : secretAskedFor(text, where, isAddress)
  if (term === undefined) return []
  const place =
    field === undefined ? 'The message' : `The ${where} of the field “${oneLine(field, 'terminal', { maxChars: 64 })}”`
  const advice = 'A form must not ask for a secret. Send a link to a page where the person enters it.'
  const reason = `${place} asks for a secret (“${term}”). ${advice}`
  return [{ ...(field !== undefined && { field }), where, term, reason }]
}

// Servers repeat the same texts: those without any secret's name are cached, up to a limit.
const harmlessTexts = new Set<string>()
const harmlessTextsMax = 1_024
const harmlessTextChars = 256

function secretAskedFor(text: string, where: QuestionPart, isAddress: () => boolean): string | undefined {
  if (harmlessTexts.has(text)) return undefined
  let isHarmless = true
  for (const reading of readSentences(text).flat()) {
    const sentence = reading.replace(sameThing, '').replace(/ +/g, ' ')
    const words = countWords(sentence)
    for (const { 0: term, index } of matchesOf(certain, sentence)) {
      isHarmless = false
      if (isAskedFor(readNearby(sentence, words, index, term, where), where)) return term
    }
    for (const { 0: term, index } of matchesOf(doubtful, sentence)) {
      isHarmless = false
      // India's postal code is called PIN code.
      if (/^pin ?code/.test(term) && isAddress()) continue
      const nearby = readNearby(sentence, words, index, term, where)
      if (endsPhrase(nearby.after) && isAskedFor(nearby, where)) return term
    }
  }
  for (const sentence of readSentences(text).flat()) {
    const words = countWords(sentence)
    for (const { 0: term, index } of matchesOf(files, sentence)) {
      isHarmless = false
      if (isContentAskedFor(readNearby(sentence, words, index, term, where), where)) return term
    }
  }
  if (isHarmless && text.length <= harmlessTextChars) {
    if (harmlessTexts.size >= harmlessTextsMax) harmlessTexts.clear()
    harmlessTexts.add(text)
  }
  return undefined
}

interface Nearby {
  readonly before: string
  readonly after: string
  readonly isLabel: boolean
}

function readNearby(sentence: string, words: number, start: number, term: string, where: QuestionPart): Nearby {
  const end = start + term.length
  const before = sentence.slice(Math.max(0, start - nearbyChars), start)
  const after = sentence.slice(end, end + nearbyChars)
  // In a title each clause is a label of its own: `OpenAI key (API key)`.
  const clauseWords = countWords(clauseEnd(before)) + 1 + countWords(clauseStart(after))
  return {
    // A blank, so that `reset` is a separate word in `resetpassword`.
    before: before.endsWith(' ') ? before : `${before} `,
    after,
    isLabel: where === 'name' || (where === 'title' ? clauseWords : words) <= labelWords,
  }
}

function isAskedFor({ before, after, isLabel }: Nearby, where: QuestionPart): boolean {
  if (aboutAfter.test(after) || stateAfter.test(after) || aboutBefore.test(before)) return false
  if (isRefused(before, after)) return false
  if (where !== 'name' && (hasCueBefore(before) || cueAfter.test(after))) return true
  if (isLabel) return !doneBefore.test(before)
  return where !== 'message' && isHead(before, after)
}

/** `Paste the contents of ~/.ssh/id_rsa`, or `Your .env file` as the label of a field to type in. */
function isContentAskedFor({ before, after, isLabel }: Nearby, where: QuestionPart): boolean {
  if (aboutAfter.test(after) || isRefused(before, after)) return false
  for (const { 0: cue, index } of matchesOf(contentBefore, before)) {
    const between = before.slice(index + cue.length)
    if (countWords(between) <= wordsAfterCue && !pathBefore.test(between)) return true
  }
  return isLabel && where !== 'name' && !aboutBefore.test(before) && / your (?:\| )*(?:ssh \| )?$/.test(before)
}

const pathBefore = / (?:path|name|location|url|link|called|named|where|which)s? /

/** `never enter your password`, but not `never forget to enter`. Only within the clause. */
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

/** `New password for the admin account`: the sentence begins with the secret and continues with which one. */
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
