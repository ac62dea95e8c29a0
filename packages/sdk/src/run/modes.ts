// The client's side of a question: what it can show, how the question is encoded, and how its answer is decoded.
//
// The first revision that could ask knew forms only and declared an empty object for them, so an empty declaration
// still means forms. What was not declared is not supported.

import {
  type AskMeta,
  actionMeta,
  askMeta,
  checkAnswer,
  compact,
  decisionForm,
  isPlainObject,
  type JsonValue,
  liftComment,
  type Revision,
  type Revision2025,
} from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { InvalidReply } from '../ask/ending.ts'
import { messageOf } from '../ask/message.ts'
import { cachedSchema } from './cached-schema.ts'

export interface Modes {
  readonly form: boolean
  readonly url: boolean
}

export function declaredModes(capabilities: unknown): Modes {
  const declared = isPlainObject(capabilities) ? capabilities.elicitation : undefined
  if (!isPlainObject(declared)) return { form: false, url: false }
  const url = isPlainObject(declared.url)
  return { form: isPlainObject(declared.form) || !url, url }
}

/** What a client answered, as the question's own answer: an approval needs the decision "approve". */
export function decodeAnswer({ question }: Description, received: unknown): unknown {
  const raw = liftComment(received)
  if (question.kind !== 'approval') return raw
  const judged = checkAnswer({ kind: 'form', message: question.title, form: decisionForm }, raw)
  if (!judged.ok) return new InvalidReply(judged)
  const { action, ...rest } = judged.answer
  if (action === 'cancel') return { ...judged.answer, ...noAnswerIn(raw) }
  if (action !== 'accept') return judged.answer
  const comment = rest.comment === undefined ? {} : { comment: rest.comment }
  return { action: judged.answer.content?.decision === 'approve' ? 'accept' : 'decline', ...comment }
}

/** Our gateway puts the reason of a cancel into `_meta`. */
function noAnswerIn(raw: unknown): { readonly _meta?: unknown } {
  return isPlainObject(raw) && isPlainObject(raw._meta) ? { _meta: raw._meta } : {}
}

/**
 * Adds for an Assent gateway: how long the asker waits, whether a yes can be undone, the paragraph that Assent's own tools
 * checked, and the exact action of an approval.
 */
export function withAskMeta(params: QuestionParams, description: Description, meta: AskMeta): QuestionParams {
  const { question, options } = description
  const checked = question.kind === 'form' ? question.checked : undefined
  const isDestructive = options.risk === 'destructive' ? true : undefined
  const ours = askMeta({ ...meta, ...compact({ checked, isDestructive }) })
  if (question.kind !== 'approval') return { ...params, _meta: ours }
  const { kind: _approval, ...declared } = question
  const action = actionMeta({ ...declared, ...compact({ reason: options.reason }) })
  return { ...params, _meta: { ...ours, ...action } }
}

export type QuestionParams = Readonly<Record<string, JsonValue>>

/** A question as it is sent to a client: the same members in every revision that has the mode. */
export type EncodedQuestion =
  | { readonly ok: true; readonly params: QuestionParams }
  | { readonly ok: false; readonly why: string }

export function encodeQuestion(
  description: Description,
  modes: Modes,
  revision: Revision | Revision2025,
): EncodedQuestion {
  const { kind, question } = description
  if (kind === 'secret')
    return {
      ok: false,
      why: 'a secret never travels through a client, and this server has no page for entering it.',
    }
  const mode = question.kind === 'url' ? 'url' : 'form'
  if (!modes[mode]) {
    return { ok: false, why: `the client did not declare that it can show ${mode === 'url' ? 'links' : 'forms'}.` }
  }
  const message = messageOf(description)
  if (question.kind === 'url') return { ok: true, params: { mode, message, url: question.url } }
  const encoded = cachedSchema(question.kind === 'form' ? question.form : decisionForm, revision)
  if (!encoded.ok) return { ok: false, why: encoded.reason }
  // The first revision had no modes, and its strict clients refuse unknown members.
  const named = revision === '2025-06-18' ? {} : { mode }
  return { ok: true, params: { ...named, message, requestedSchema: encoded.schema } }
}
