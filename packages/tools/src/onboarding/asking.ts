// One question of onboarding: put to a person, traced, and judged against what happened in the meantime.
//
// What is shown is fixed before it is put, because on 2026-07-28 everything before the answer runs again with it. The
// answer counts only if nothing else happened since: the state's revision is the same, and so are plan and files.

import { type Content, encodeForm, type Form, screenForSecrets, visibleText } from '@assent/core'
import { type Interaction, isAssentError } from '@assent/sdk'
import { onboardingLimits } from './limits.ts'
import type { Site } from './site.ts'
import type { State } from './state/state.ts'
import { type Trace, writeTrace } from './state/trace.ts'
import { Stop, type StopCode } from './stop.ts'

export type AskingAction = 'approve' | 'migrate' | 'rollback' | 'skip'

/** What a question is about, as it was when it was put. */
export interface Prepared {
  readonly message: string
  readonly revision: number
  readonly planDigest?: string
  readonly inputsDigest?: string
}

export interface Asking {
  readonly action: AskingAction
  readonly form: Form
  /** Checks that it may be asked at all, and draws the question. Runs once, before anybody is asked. */
  readonly prepare: () => Promise<Prepared>
}

export type Answered =
  | { readonly kind: 'accepted'; readonly content: Content; readonly asked: Prepared }
  | { readonly kind: 'declined'; readonly asked: Prepared }
  | { readonly kind: 'canceled'; readonly why: string }

export async function putToPerson(site: Site, interaction: Interaction, asking: Asking): Promise<Answered> {
  const begun = await interaction.step('prepare', () => prepared(site, asking))
  if (!begun.ok) throw new Stop(begun.code, begun.message, begun.suggestion)
  const { asked, atMs } = begun
  const traced = (response: Trace['response']) => trace(site, asking, asked.message, atMs, response)
  try {
    const content = await interaction.ask.form(asked.message, asking.form, { waitMs: site.waitMs, risk: 'notable' })
    await traced({ action: 'accept', content })
    return { kind: 'accepted', content: content as Content, asked }
  } catch (error) {
    if (!isAssentError(error)) throw error
    switch (error.code) {
      case 'declined':
        await traced({ action: 'decline' })
        return { kind: 'declined', asked }
      case 'cancelled':
      case 'timed_out':
      case 'channel_closed':
        await traced({ action: 'cancel' })
        return { kind: 'canceled', why: error.message }
      case 'not_supported':
        throw nobody(asking.action, error.message)
      case 'validation_failed':
        await traced({ action: 'accept' })
        throw new Stop(
          'ANSWER_NOT_VALID',
          `${error.message} That counts as no; nothing was changed.`,
          `Call ${asking.action} again to ask once more.`,
        )
      default:
        throw error
    }
  }
}

type Begun =
  | { readonly ok: true; readonly asked: Prepared; readonly atMs: number }
  | { readonly ok: false; readonly code: StopCode; readonly message: string; readonly suggestion: string }

async function prepared(site: Site, asking: Asking): Promise<Begun> {
  try {
    const asked = await asking.prepare()
    return { ok: true, asked: { ...asked, message: asked.message.toWellFormed() }, atMs: site.nowMs() }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { ok: false, code: error.code, message: error.message, suggestion: error.suggestion }
  }
}

async function trace(
  site: Site,
  { action, form }: Asking,
  message: string,
  atMs: number,
  response: Trace['response'],
): Promise<void> {
  const encoded = encodeForm(form, '2025-11-25')
  const schema = encoded.ok ? encoded.schema : null
  await writeTrace(site, { action, message, schema, response, duration_ms: Math.max(0, site.nowMs() - atMs) })
}

/** Where no person can be reached the operation is refused, and the words say how to reach one. */
function nobody(action: AskingAction, why: string): Stop {
  return new Stop(
    'USER_APPROVAL_REQUIRED',
    `${action} needs a person's answer, and none could be asked. Nothing was changed. ${why}`,
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

/**
 * The first of these that may be shown: text from the repository can look as if it asked for a secret, and it can be too
 * long. The last one holds nothing of the repository's but names.
 */
export function fitting(form: Form, messages: readonly (() => string)[]): string {
  for (const message of messages) {
    const drawn = visibleText(message(), 'web', { maxChars: onboardingLimits.messageChars * 2 })
    if (drawn.length <= onboardingLimits.messageChars && screenForSecrets(form.fields, drawn).length === 0) return drawn
  }
  throw new Stop(
    'UNSAFE_PATH',
    'What there is to decide cannot be shown in one question. Nothing was changed.',
    'Move some of the files by hand first, so that the plan is shorter.',
  )
}
