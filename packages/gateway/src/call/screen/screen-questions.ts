// Screens every question before it is forwarded: its form, whether it asks for a secret, its link, its size.
//
// A refused question never reaches a person; its asker gets the reason.

import {
  type AnswerName,
  answerWarnings,
  askLimits,
  type Content,
  type ContentIssue,
  checkContent,
  type FormRead,
  isApprovalForm,
  isPlainObject,
  type JsonObject,
  liftComment,
  nameContent,
  oneLine,
  readForm,
  screenForSecrets,
  screenOptions,
  screenUrl,
} from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import type { Answers, InputRequest, InputResponse, QuestionRefusal } from '../model.ts'
import { questionText } from '../text/questions.ts'
import { linearPatterns } from './patterns.ts'

/** Why a question is refused: `why` for logs, metrics and the audit log, `message` for its asker. */
export interface Rejection {
  readonly why: QuestionRefusal
  readonly message: string
}

/** The rejection of each refused question; of all questions when there are too many. */
export function rejections(wanted: Readonly<Record<string, InputRequest>>): Record<string, Rejection> {
  const list = Object.entries(wanted)
  const isTooMany = list.length > relayLimits.asksPerRound
  const tooMany = reject('too-many', questionText.tooMany())
  const longKey = reject('too-large', questionText.longName())
  return Object.fromEntries(
    list.flatMap(([key, one]) => {
      const problem = isTooMany ? tooMany : key.length > relayLimits.askKeyChars ? longKey : problemOf(one)
      return problem === undefined ? [] : [[key, problem]]
    }),
  )
}

function problemOf(wanted: InputRequest): Rejection | undefined {
  if (wanted.kind === 'sampling' || wanted.kind === 'roots') return undefined
  // Our own question: its text names the tool, whatever the tool is called.
  if (wanted.kind === 'form' && wanted.approval !== undefined) return undefined
  if (wanted.message.length > askLimits.messageChars) return reject('too-large', questionText.tooLong)
  if (wanted.kind === 'url') {
    const screened = screenUrl(wanted.url)
    return screened.ok ? undefined : reject('link', screened.reason)
  }
  const read = readKnownForm(wanted.schema)
  if (!read.ok) {
    const [problem] = read.problems
    return reject('schema', questionText.at(problem?.reason ?? questionText.unreadableForm, problem?.path || '/'))
  }
  const sameOptions = screenOptions(read.form.fields)
  if (sameOptions !== undefined) return reject('schema', sameOptions)
  const [secret] = screenForSecrets(read.form.fields, wanted.message)
  return secret === undefined ? undefined : reject('secret', secret.reason)
}

function reject(why: QuestionRefusal, message: string): Rejection {
  return { why, message }
}

/** The answer for the asking server: an accept that does not fit its form becomes a cancel. */
export function screenResponse(schema: unknown, given: InputResponse): InputResponse {
  const checked = checkResponse(schema, given)
  return checked.ok ? checked.given : unfit(checked.reason)
}

export type CheckedResponse =
  | { readonly ok: true; readonly given: InputResponse }
  /** Text for the person and the server, without any content of the answer. */
  | { readonly ok: false; readonly reason: string }

/**
 * Whether an answer fits its question. Returns it with the server's types: a list that was given as one string becomes
 * a list, an empty field may be null, and unknown properties are removed unless the schema forbids them.
 */
export function checkResponse(schema: unknown, given: InputResponse): CheckedResponse {
  if ('error' in given) return { ok: true, given }
  const { action } = given.result
  if (action === 'decline' || action === 'cancel') return { ok: true, given }
  if (action !== 'accept') return { ok: false, reason: questionText.action }
  if (schema === undefined) return { ok: true, given }
  const read = readKnownForm(schema)
  if (!read.ok) return { ok: false, reason: questionText.unreadableForm }
  const content = objectAt(given.result, 'content')
  // An approval must contain exactly what the person saw.
  const extras = read.isClosed === true || isApprovalForm(read.form) ? 'refuse' : 'drop'
  const checked = checkContent(read.form, content, { patterns: linearPatterns, extras })
  if (!checked.ok) return { ok: false, reason: issuesInWords(checked.issues) }
  const isSame = Object.keys(checked.content).length === Object.keys(content ?? {}).length
  if (read.isNonStandard !== true && isSame) return { ok: true, given }
  return { ok: true, given: { ...given, result: { ...given.result, content: { ...checked.content } as JsonObject } } }
}

export function issuesInWords(issues: readonly ContentIssue[]): string {
  const words = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')
  return oneLine(words, 'web', { maxChars: relayLimits.reasonChars })
}

/**
 * Replaces an answer that looks like a secret, because forms must not carry secrets. Undefined when the answer may
 * pass, also because the person confirmed it on one of our surfaces.
 */
function secretRefusal(schema: unknown, given: InputResponse): InputResponse | undefined {
  if ('error' in given || given.isConfirmed === true) return undefined
  const read = isPlainObject(schema) ? readKnownForm(schema) : undefined
  const form = read?.ok === true ? read.form : { fields: [] }
  const found = answerWarnings({ kind: 'form', message: '', form }, liftComment(given.result))
  return found.length === 0 ? undefined : secretAnswer
}

export const secretAnswer: InputResponse = {
  error: {
    code: errorCodes.refused,
    message: questionText.secretAnswer,
    data: { reason: 'secret-answer' },
  },
}

export function isSecretAnswer(given: InputResponse): boolean {
  return 'error' in given && isPlainObject(given.error.data) && given.error.data.reason === 'secret-answer'
}

/** For a stored secret that was delivered once and deleted. */
export const secretDeleted: InputResponse = {
  error: {
    code: errorCodes.refused,
    message: questionText.secretDeleted,
    data: { reason: 'secret-deleted' },
  },
}

/** The person's answer, from a closed set of names; undefined when no person answered. */
export function nameGiven(schema: unknown, given: InputResponse): AnswerName | undefined {
  if ('error' in given || given.isUnfit === true || given.end !== undefined) return undefined
  const { action } = given.result
  if (action === 'decline') return 'declined'
  if (action !== 'accept') return 'dismissed'
  if (schema === true) return 'approved'
  const read = readKnownForm(schema)
  return read.ok ? nameContent(read.form, (objectAt(given.result, 'content') ?? {}) as Content) : undefined
}

/** The question was withdrawn, or its caller left. A cancel in the protocol. */
export const noAnswer: InputResponse = { result: { action: 'cancel' }, end: 'withdrawn' }

/** Other replicas withdrew the question, because the one that waited for the answer did not renew its lease in time. */
export const lostAnswer = {
  error: {
    code: errorCodes.refused,
    message: questionText.lost,
    data: { reason: 'lost' },
  },
} as const satisfies InputResponse

export function isLost(given: InputResponse): boolean {
  return 'error' in given && isPlainObject(given.error.data) && given.error.data.reason === 'lost'
}

export function isNoAnswer(given: InputResponse | undefined): boolean {
  return given !== undefined && (isLost(given) || ('result' in given && given.end !== undefined))
}

/** An accept that does not fit. A cancel in the protocol, with the reason in `_meta`. */
export function unfit(reason: string): InputResponse {
  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': reason }
  return { result: { action: 'cancel', _meta }, isUnfit: true }
}

/** An approval that arrived faster than a person can read it. A cancel in the protocol, with the reason in `_meta`. */
export const unseen: InputResponse = { result: { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } } }

/**
 * No answer in time. An error where the revision allows it, to distinguish it from a person's cancel; otherwise a
 * cancel.
 */
export const expired: InputResponse = {
  error: {
    code: errorCodes.refused,
    message: questionText.expired,
    data: { reason: 'expired' },
  },
}

/** The stored ask was changed outside Assent, or signed with an unknown key. It approves nothing. */
export const unverified: InputResponse = {
  error: {
    code: errorCodes.refused,
    message: questionText.unverified,
    data: { reason: 'unverified' },
  },
}

/**
 * Screens dummy questions at startup. The engine compiles the long screening patterns on first use, and optimizes them
 * on repeated use: a third of a second that no caller should wait for.
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

// Servers ask the same forms repeatedly: parsed forms are cached up to a limit.
const known = new Map<string, FormRead>()
const knownForms = 256
const knownChars = 16_384

/** Parses a server's form with the engine that checks its patterns. */
export function readKnownForm(schema: unknown): FormRead {
  const text = JSON.stringify(schema)
  const before = text === undefined ? undefined : known.get(text)
  if (before !== undefined) return before
  const read = readForm(schema, linearPatterns)
  if (text === undefined || text.length > knownChars) return read
  if (known.size >= knownForms) known.clear()
  known.set(text, read)
  return read
}

/**
 * What is kept of the questions to screen their answers: the schema of a form; `true` for another question whose answer is
 * screened, `false` for one whose answer is passed on as it is.
 */
export function schemasOf(wanted: Readonly<Record<string, InputRequest>>): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).map(([key, one]) => [key, one.kind === 'form' ? one.schema : one.kind === 'url']),
  )
}

export interface ScreenedAnswers {
  readonly screened: Answers
  /** The answers to questions for a person, and the name that each of them gives, if any. */
  readonly ofPeople: readonly (readonly [key: string, answer: InputResponse])[]
  readonly names: readonly (AnswerName | undefined)[]
}

/** Checks the answers against what `schemasOf` returned. Answers to questions that were not asked are left out. */
export function screenAnswers(schemas: JsonObject, given: Answers, allowsSecrets: boolean): ScreenedAnswers {
  const answers = Object.entries(given).flatMap(([key, answer]): (readonly [string, InputResponse])[] => {
    const schema = own(schemas, key)
    if (schema === undefined) return []
    if (schema === false) return [[key, answer]]
    const refused = allowsSecrets ? undefined : secretRefusal(schema, answer)
    return [[key, refused ?? screenResponse(schema === true ? undefined : schema, answer)]]
  })
  const ofPeople = answers.filter(([key]) => schemas[key] !== false)
  const names = ofPeople.map(([key, answer]) => nameGiven(schemas[key], answer))
  return { screened: Object.fromEntries(answers), ofPeople, names }
}
