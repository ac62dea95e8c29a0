// Shows everything that a decision is about, in one question or in several, and never leaves anything out.
//
// The body is what Assent found out itself, and contains text of the repository. It is escaped as the person will see
// it, marked as checked, and cut between lines when a question is full. If it needs more questions than a person can be
// expected to read, nothing is asked.

import { checkedBlock, type Form, screenForSecrets, visibleText } from '@assent/core'
import { onboardingLimits } from './limits.ts'
import { refusal } from './onboarding-error.ts'
import { paragraphs } from './report.ts'
import { partText } from './text/questions.ts'
import { refusals } from './text/refusals.ts'

export interface Whole {
  /** Our own text; short, because every part begins with it. */
  readonly head: string
  readonly body: readonly string[]
  /** Our own text about what a yes leads to; before the body, which may end with a long diff. */
  readonly note: string
  /** The subject of the error message if there is too much to show. */
  readonly tooMuch: string
}

/** One question. Everything below its first line is our own text, and a paragraph of the message that is marked as checked. */
export interface OneQuestion {
  readonly head: string
  readonly checked: string
}

export function messageOf({ head, checked }: OneQuestion): string {
  return paragraphs([head, checked === '' ? '' : checkedBlock(checked)])
}

/** @param form of the only or the last question; a text field in it makes readers suspect every word that names a secret */
export function wholeQuestion(form: Form, { head, body, note, tooMuch }: Whole): OneQuestion[] {
  const drawn = drawnAs(paragraphs(body))
  const all = { head, checked: paragraphs([note, drawn]) }
  if (fits(messageOf(all)) && isUnsuspicious(form, messageOf(all))) return [all]
  const room =
    onboardingLimits.messageChars - sizeOf(messageOf({ head, checked: paragraphs([partText.part(99, 99), '-']) }))
  const chunks = chunksOf(drawn, room)
  if (chunks.length + 1 > onboardingLimits.questions)
    throw refusal('TOO_MUCH_TO_SHOW', refusals.tooMuchToShow(tooMuch, chunks.length + 1, onboardingLimits.questions))
  const last = { head, checked: paragraphs([partText.allShown(chunks.length), note]) }
  const words = messageOf(last)
  if (!fits(words) || !isUnsuspicious(form, words))
    throw new Error('The last question is too long or looks like a request for a secret.')
  const parts = chunks.map((checked, index) => ({
    head,
    checked: paragraphs([partText.part(index + 1, chunks.length), checked]),
  }))
  return [...parts, last]
}

function drawnAs(text: string): string {
  return visibleText(text.toWellFormed(), 'web', { maxChars: Number.POSITIVE_INFINITY })
}

/** The gateway escapes a question again and cuts what is too long, so the length is measured after a second escape. */
function sizeOf(drawn: string): number {
  return drawnAs(drawn).length
}

function fits(drawn: string): boolean {
  return sizeOf(drawn) <= onboardingLimits.messageChars
}

function isUnsuspicious(form: Form, message: string): boolean {
  return screenForSecrets(form.fields, message).length === 0
}

/** Whole lines, as many as fit; a line that is longer than a question is cut. */
function chunksOf(drawn: string, room: number): string[] {
  const chunks: string[] = []
  let chunk: string[] = []
  let size = 0
  for (const line of drawn.split('\n').flatMap((each) => piecesOf(each, room))) {
    const more = sizeOf(line) + 1
    if (size + more > room && chunk.length > 0) {
      chunks.push(joined(chunk))
      chunk = []
      size = 0
    }
    chunk.push(line)
    size += more
  }
  return [...chunks, joined(chunk)]
}

/** Without empty lines around it, so that it is a paragraph of its message. */
function joined(lines: readonly string[]): string {
  return lines.join('\n').replace(/^\n+|\n+$/g, '')
}

function piecesOf(line: string, room: number): string[] {
  if (sizeOf(line) < room) return [line]
  const pieces: string[] = []
  let piece = ''
  let size = 0
  for (const character of line) {
    const more = sizeOf(character)
    if (size + more >= room) {
      pieces.push(piece)
      piece = ''
      size = 0
    }
    piece += character
    size += more
  }
  return [...pieces, piece]
}
