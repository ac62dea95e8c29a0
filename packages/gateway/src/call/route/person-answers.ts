// Whether a client's answer can come from a person, and whether it fits the question. Pure.

import { isApprovalForm, type JsonValue, type PresenceSetting } from '@assent/core'
import { objectAt } from '../../protocol/messages.ts'
import type { RelayState } from '../call-state.ts'
import { answeredByPerson } from '../clients/human-check.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { TimedResponse, TimedResponses } from '../layers.ts'
import type { Answers, ClientProfile, InputRequest, InputResponse } from '../model.ts'
import { checkResponse, readKnownForm } from '../screen/screen-questions.ts'

export interface PersonSettings {
  /** A faster answer cannot come from a person. */
  readonly unseenAfterMs: number
  /** Which decisions need a passkey. */
  readonly presence?: PresenceSetting
}

/** The client's answers to one round, and what happens to each question. */
export interface SortedAnswers {
  readonly kept: Answers
  readonly hasInboxAnswer: boolean
  /** The questions that move to the inbox. */
  readonly moving: readonly string[]
  /** Those of them that were answered too fast, now or in an earlier request. */
  readonly tooFast: readonly string[]
  readonly fastNow: readonly (readonly [key: string, given: InputResponse, afterMs: number])[]
}

export function isFromPerson(
  { unseenAfterMs }: PersonSettings,
  { info }: Pick<ClientProfile, 'info'>,
  given: InputResponse,
  afterMs: number | undefined,
): boolean {
  if (afterMs === undefined) return true
  const action = 'result' in given ? given.result.action : 'cancel'
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return false
  const content = 'result' in given ? objectAt(given.result, 'content') : undefined
  const hasContent = content !== undefined && Object.keys(content).length > 0
  return answeredByPerson(traitsOf(info), { action, hasContent, afterMs }, unseenAfterMs)
}

/**
 * Why a client's answer does not fit this form, as text. Undefined for one that fits, and for one that does not come
 * from a person: asking a program again is useless.
 */
export function problemWith(
  settings: PersonSettings,
  client: Pick<ClientProfile, 'info'>,
  wanted: InputRequest,
  { given, afterMs }: TimedResponse,
): string | undefined {
  if (wanted.kind !== 'form' || given === undefined || !isYes(given)) return undefined
  const checked = checkResponse(wanted.schema, given)
  return checked.ok || !isFromPerson(settings, client, given, afterMs) ? undefined : checked.reason
}

/** Converts valid answers to the types of the server's schema; the store expects them in that form too. */
export function asAsked({ schemas }: RelayState, came: TimedResponses): TimedResponses {
  return Object.fromEntries(
    Object.entries(came).map(([key, one]) => {
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      if (one.given === undefined || typeof schema === 'boolean') return [key, one]
      const checked = checkResponse(schema, one.given)
      return [key, checked.ok ? { ...one, given: checked.given } : one]
    }),
  )
}

export function isYes(given: InputResponse | undefined): boolean {
  return given !== undefined && 'result' in given && given.result.action === 'accept'
}

export function isNo(given: InputResponse): boolean {
  return 'result' in given && (given.result.action === 'decline' || given.result.action === 'cancel')
}

/** Whether accepting this form approves something. An unreadable form counts as an approval; it is refused later. */
export function approves(schema: JsonValue | undefined): boolean {
  if (schema === true) return false
  const read = readKnownForm(schema)
  return !read.ok || isApprovalForm(read.form)
}
