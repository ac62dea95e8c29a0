// Asks a person for one decision of onboarding, and writes a trace of each question.
//
// The questions are stored before they are asked, because on 2026-07-28 the handler runs again from the top with the
// answer. An answer counts only if the state's revision, the plan and the files have not changed since. Text that does
// not fit into one question is split into several; only a yes to all of them is a yes.

import { type Content, encodeForm, type Form } from '@assent/core'
import { type Interaction, isAssentError } from '@assent/sdk'
import { OnboardingError, type OnboardingErrorCode, refusal } from './onboarding-error.ts'
import { counted } from './report.ts'
import type { Site } from './site.ts'
import type { State } from './state/state.ts'
import { closeTrace, deleteTrace, openTrace, type Trace } from './state/trace.ts'
import { refusals } from './text/refusals.ts'
import { noDecisionText } from './text/results.ts'
import { messageOf, type OneQuestion } from './whole-question.ts'

export type AskingAction = 'approve' | 'migrate' | 'rollback' | 'skip'

/** What a decision is about, as it was when the person was asked. */
export interface PreparedDecision {
  /** One question with everything, or the parts of it and a last question about all of them. */
  readonly questions: readonly OneQuestion[]
  readonly revision: number
  readonly planDigest?: string
  readonly inputsDigest?: string
}

export interface DecisionRequest {
  readonly action: AskingAction
  readonly form: Form
  /** For the parts of a text that does not fit into one question: the boxes of `form` that mean yes, without a text field. */
  readonly partForm: Form
  /** Checks that the decision is possible, and builds the questions. Runs once, before a person is asked. */
  readonly prepare: () => Promise<PreparedDecision>
}

/** `comment`: the person's comment next to the form, unchanged; empty when they wrote nothing. */
export type DecisionAnswer =
  | { readonly kind: 'accepted'; readonly content: Content; readonly comment: string; readonly asked: PreparedDecision }
  | { readonly kind: 'declined'; readonly comment: string; readonly asked: PreparedDecision }
  | { readonly kind: 'canceled'; readonly why: string; readonly comment: string }

export async function askPerson(
  site: Site,
  interaction: Interaction,
  asking: DecisionRequest,
): Promise<DecisionAnswer> {
  const begun = await interaction.step('prepare', () => prepared(asking))
  if (!begun.ok) throw new OnboardingError(begun.code, begun.message, begun.suggestion)
  const { asked } = begun
  const last = asked.questions.length - 1
  for (const number of asked.questions.slice(0, last).keys()) {
    const answered = await putOne(site, interaction, { asking, asked, number, form: asking.partForm })
    if (answered.kind !== 'accepted' || !isYes(answered.content)) return answered
  }
  return putOne(site, interaction, { asking, asked, number: last, form: asking.form })
}

function isYes(content: Content): boolean {
  return Object.values(content).every((value) => value === true)
}

interface Question {
  readonly asking: DecisionRequest
  readonly asked: PreparedDecision
  /** The index of the question. */
  readonly number: number
  readonly form: Form
}

function questionText({ asked, number }: Question): { readonly message: string; readonly checked: string } {
  const one = asked.questions[number]
  if (one === undefined) throw new Error(`Question ${number} does not exist.`)
  return { message: messageOf(one), checked: one.checked }
}

async function putOne(site: Site, interaction: Interaction, question: Question): Promise<DecisionAnswer> {
  const { asking, asked, number, form } = question
  const { message, checked } = questionText(question)
  const about = tracedQuestion(question)
  // Steps, because the handler reaches the answered questions again each time it runs.
  const open = await interaction.step(`asked-${number + 1}`, () => openTrace(site, about))
  site.reached('question traced')
  const traced = (response: NonNullable<Trace['response']>) =>
    interaction.step(`trace-${number + 1}`, () => closeTrace(site, open, about, response))
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
        return { kind: 'canceled', why: noDecisionText.dismissed, comment }
      case 'timed_out':
        await traced({ action: 'cancel' })
        return canceled(noDecisionText.timedOut(counted(Math.round(site.waitMs / 1_000), 'second')))
      case 'unseen':
        await traced({ action: 'cancel' })
        return canceled(noDecisionText.unseen)
      case 'channel_closed':
        await traced({ action: 'cancel' })
        return canceled(noDecisionText.closed)
      case 'not_supported':
        await interaction.step(`trace-${number + 1}`, () => deleteTrace(site, open))
        throw refusal('USER_APPROVAL_REQUIRED', refusals.cannotAsk(asking.action))
      case 'validation_failed':
        await traced({ action: 'accept' })
        throw refusal('ANSWER_NOT_VALID', refusals.invalidAnswer(asking.action))
      default:
        throw error
    }
  }
}

function canceled(why: string): DecisionAnswer {
  return { kind: 'canceled', why, comment: '' }
}

type Begun =
  | { readonly ok: true; readonly asked: PreparedDecision }
  | { readonly ok: false; readonly code: OnboardingErrorCode; readonly message: string; readonly suggestion: string }

async function prepared(asking: DecisionRequest): Promise<Begun> {
  try {
    return { ok: true, asked: await asking.prepare() }
  } catch (error) {
    if (!(error instanceof OnboardingError)) throw error
    return { ok: false, code: error.code, message: error.message, suggestion: error.suggestion }
  }
}

function tracedQuestion(question: Question): Pick<Trace, 'action' | 'message' | 'schema'> {
  const encoded = encodeForm(question.form, '2025-11-25')
  return {
    action: question.asking.action,
    message: questionText(question).message,
    schema: encoded.ok ? encoded.schema : null,
  }
}

/** Throws if the state has changed since the question was asked. */
export function mustBeAsAsked(state: State, { revision }: PreparedDecision, action: AskingAction): void {
  if (state.revision === revision) return
  throw refusal('CHANGED_WHILE_ASKING', refusals.changedWhileAsking(state.status, action))
}
