// Every question is judged before it goes on: its form, whether it asks for a secret, its link, its size.
//
// What may not be asked is told to whoever asked, in words; it never reaches a person.

import { askLimits, checkContent, type FormRead, readForm, screenForSecrets, screenUrl } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { errorCodes, objectAt } from '../wire/messages.ts'
import type { Given, Wanted } from './exchange.ts'

/** Says in words, for each question that may not be asked, why; all of them when there are too many. */
export function refusals(wanted: Readonly<Record<string, Wanted>>): Record<string, string> {
  const list = Object.entries(wanted)
  const isTooMany = list.length > relayLimits.asksPerRound
  const tooMany = `At most ${relayLimits.asksPerRound} questions can be put at once.`
  const longKey = `The name of a question has at most ${relayLimits.askKeyChars} characters.`
  return Object.fromEntries(
    list.flatMap(([key, one]) => {
      const problem = isTooMany ? tooMany : key.length > relayLimits.askKeyChars ? longKey : problemOf(one)
      return problem === undefined ? [] : [[key, problem]]
    }),
  )
}

function problemOf(wanted: Wanted): string | undefined {
  if (wanted.kind === 'sampling' || wanted.kind === 'roots') return undefined
  if (wanted.message.length > askLimits.messageChars)
    return `A question has at most ${askLimits.messageChars} characters.`
  if (wanted.kind === 'url') {
    const screened = screenUrl(wanted.url)
    return screened.ok ? undefined : screened.reason
  }
  const read = readKnownForm(wanted.schema)
  if (!read.ok) return `${read.problems[0]?.reason ?? 'The form cannot be read.'} (at ${read.problems[0]?.path || '/'})`
  return screenForSecrets(read.form.fields, wanted.message)[0]?.reason
}

/**
 * The answer as the asking server may see it: only an accept that fits its form stays one. What is malformed is no
 * answer, which in the protocol is a cancel.
 */
export function judgeGiven(schema: unknown, given: Given): Given {
  if ('error' in given) return given
  const { action } = given.result
  if (action === 'decline' || action === 'cancel') return given
  if (action !== 'accept') return malformed
  if (schema === undefined) return given
  const read = readKnownForm(schema)
  return read.ok && checkContent(read.form, objectAt(given.result, 'content')).ok ? given : malformed
}

export const noAnswer: Given = { result: { action: 'cancel' } }

const malformed: Given = { result: { action: 'cancel' }, isUnfit: true }

/** Silence. Where a revision can say so it stays apart from a person's "no choice"; elsewhere it is a cancel. */
export const expired: Given = {
  error: {
    code: errorCodes.refused,
    message: 'Nobody answered in time. Nothing was decided: ask again, or let people take longer (asks.wait).',
    data: { reason: 'expired' },
  },
}

/**
 * Judges questions that nobody asks, before there are any. The engine compiles the long patterns of screening when they
 * are first used, and again when they are used more often: a third of a second that no caller shall wait for.
 */
export function warmUp(): void {
  const schema = { type: 'object', properties: { password: { type: 'string', title: 'Password' } } }
  const messages = [
    'Which region?',
    'Enter your password.',
    'Your password policy: which one?',
    'Geben Sie Ihr Passwort ein',
  ]
  for (let time = 0; time < 4; time++) {
    for (const message of messages) {
      problemOf({ kind: 'form', message, schema, params: {} })
      problemOf({ kind: 'form', message, schema: { ...schema, properties: { a: { type: 'string' } } }, params: {} })
    }
    problemOf({ kind: 'url', message: 'Sign in.', url: 'https://xn--bcher-kva.example/', params: {} })
  }
}

// Servers ask the same forms again and again: a form is read once, while there is room to remember it.
const known = new Map<string, FormRead>()
const knownForms = 256
const knownChars = 16_384

function readKnownForm(schema: unknown): FormRead {
  const text = JSON.stringify(schema)
  const before = text === undefined ? undefined : known.get(text)
  if (before !== undefined) return before
  const read = readForm(schema)
  if (text === undefined || text.length > knownChars) return read
  if (known.size >= knownForms) known.clear()
  known.set(text, read)
  return read
}
