// One decision of onboarding: put to a person, traced, and checked against what happened in the meantime.
//
// What is shown is fixed before it is put, because on 2026-07-28 everything before the answer runs again with it. The
// answer counts only if nothing else happened since: the state's revision is the same, and so are plan and files. What does
// not fit into one question is put in several; only a yes to every one of them is a yes.

import { type Content, encodeForm, type Form } from '@assent/core'
import { type Interaction, isAssentError } from '@assent/sdk'
import type { Site } from './site.ts'
import type { State } from './state/state.ts'
import { type Trace, writeTrace } from './state/trace.ts'
import { Stop, type StopCode } from './stop.ts'
import { messageOf, type OneQuestion } from './whole-question.ts'
import { counted } from './words.ts'

export type AskingAction = 'approve' | 'migrate' | 'rollback' | 'skip'

/** What a decision is about, as it was when it was put. */
export interface Prepared {
  /** One question with everything, or the parts of it and a last question about all of them. */
  readonly questions: readonly OneQuestion[]
  readonly revision: number
  readonly planDigest?: string
  readonly inputsDigest?: string
}

export interface Asking {
  readonly action: AskingAction
  readonly form: Form
  /** For the parts of what does not fit into one question: the boxes of `form` that say yes, and no text. */
  readonly partForm: Form
  /** Checks that it may be asked at all, and draws the questions. Runs once, before anybody is asked. */
  readonly prepare: () => Promise<Prepared>
}

/** `comment`: what the person wrote beside the form, word for word; empty when they wrote nothing. */
export type Answered =
  | { readonly kind: 'accepted'; readonly content: Content; readonly comment: string; readonly asked: Prepared }
  | { readonly kind: 'declined'; readonly comment: string; readonly asked: Prepared }
  | { readonly kind: 'canceled'; readonly why: string; readonly comment: string }

export async function putToPerson(site: Site, interaction: Interaction, asking: Asking): Promise<Answered> {
  const begun = await interaction.step('prepare', () => prepared(site, asking))
  if (!begun.ok) throw new Stop(begun.code, begun.message, begun.suggestion)
  const { asked, atMs } = begun
  const last = asked.questions.length - 1
  for (const number of asked.questions.slice(0, last).keys()) {
    const answered = await putOne(site, interaction, { asking, asked, number, atMs, form: asking.partForm })
    if (answered.kind !== 'accepted' || !isYes(answered.content)) return answered
  }
  return putOne(site, interaction, { asking, asked, number: last, atMs, form: asking.form })
}

function isYes(content: Content): boolean {
  return Object.values(content).every((value) => value === true)
}

interface Question {
  readonly asking: Asking
  readonly asked: Prepared
  /** Which of the questions. */
  readonly number: number
  readonly form: Form
  readonly atMs: number
}

function wordsOf({ asked, number }: Question): { readonly message: string; readonly checked: string } {
  const one = asked.questions[number]
  if (one === undefined) throw new Error(`There is no question ${number}.`)
  return { message: messageOf(one), checked: one.checked }
}

async function putOne(site: Site, interaction: Interaction, question: Question): Promise<Answered> {
  const { asking, asked, number, form } = question
  const { message, checked } = wordsOf(question)
  // As a step: the questions before the last one are put again, answered, whenever the handler runs again.
  const traced = (response: Trace['response']) =>
    interaction.step(`trace ${number + 1}`, () => trace(site, question, response))
  try {
    const { ask } = interaction
    const { waitMs, isDefaultWait } = site
    const settings = { waitMs, isDefaultWait, risk: 'notable', ...(checked === '' ? {} : { checked }) } as const
    const { value: content, comment = '' } = await ask.withComment(ask.form(message, form, settings))
    await traced({ action: 'accept', content })
    return { kind: 'accepted', content: content as Content, comment, asked }
  } catch (error) {
    if (!isAssentError(error)) throw error
    const { comment = '' } = error
    const wrote = comment === '' ? {} : { content: { comment } }
    switch (error.code) {
      case 'declined':
        await traced({ action: 'decline', ...wrote })
        return { kind: 'declined', comment, asked }
      case 'cancelled':
        await traced({ action: 'cancel', ...wrote })
        return { kind: 'canceled', why: 'The person closed the question without an answer.', comment }
      case 'timed_out':
        await traced({ action: 'cancel' })
        return canceled(`No answer came within ${counted(Math.round(site.waitMs / 1_000), 'second')}.`)
      case 'unseen':
        await traced({ action: 'cancel' })
        return canceled('The client accepted faster than a person can read, so it does not count.')
      case 'channel_closed':
        await traced({ action: 'cancel' })
        return canceled('The connection ended before an answer came.')
      case 'not_supported':
        throw nobody(asking.action)
      case 'validation_failed':
        await traced({ action: 'accept' })
        throw new Stop(
          'ANSWER_NOT_VALID',
          'The answer does not fit the question. That counts as no; nothing was changed.',
          `Call ${asking.action} again to ask once more.`,
        )
      default:
        throw error
    }
  }
}

function canceled(why: string): Answered {
  return { kind: 'canceled', why, comment: '' }
}

type Begun =
  | { readonly ok: true; readonly asked: Prepared; readonly atMs: number }
  | { readonly ok: false; readonly code: StopCode; readonly message: string; readonly suggestion: string }

async function prepared(site: Site, asking: Asking): Promise<Begun> {
  try {
    const asked = await asking.prepare()
    return { ok: true, asked, atMs: site.nowMs() }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { ok: false, code: error.code, message: error.message, suggestion: error.suggestion }
  }
}

async function trace(site: Site, question: Question, response: Trace['response']): Promise<void> {
  const { form, atMs, asking } = question
  const { action } = asking
  const { message } = wordsOf(question)
  const encoded = encodeForm(form, '2025-11-25')
  const schema = encoded.ok ? encoded.schema : null
  await writeTrace(site, { action, message, schema, response, duration_ms: Math.max(0, site.nowMs() - atMs) })
}

/** Where no person can be reached the operation is refused, and the words say how to reach one. */
function nobody(action: AskingAction): Stop {
  return new Stop(
    'USER_APPROVAL_REQUIRED',
    `${action} needs a person's answer, and this client cannot ask its user. Nothing was changed.`,
    'Use a client that can ask its user (elicitation), or run the tools behind `assent`, whose inbox asks instead. Do not ask in the chat and go on: only an answer to this question counts.',
  )
}

/** After the answer: has anything happened since the question was put? */
export function mustBeAsAsked(state: State, { revision }: Prepared, action: AskingAction): void {
  if (state.revision === revision) return
  throw new Stop(
    'CHANGED_WHILE_ASKING',
    `The answer came, but onboarding had moved on in the meantime: its status is ${state.status}. This answer changed nothing.`,
    `Look at status, then call ${action} again if it is still wanted.`,
  )
}
