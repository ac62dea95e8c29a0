// The client's side of a question: what it can show, how it is told, and what its answer means.
//
// The first revision that could ask knew forms only and declared an empty object for them, so an empty declaration
// still means forms. What was not declared is not there.

import {
  type AskMeta,
  askMeta,
  decisionForm,
  isPlainObject,
  type JsonValue,
  judgeAnswer,
  liftComment,
  type Revision,
  type Revision2025,
} from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { messageOf } from '../ask/message.ts'
import { encodedOnce } from './encoded-once.ts'

export interface Modes {
  readonly form: boolean
  readonly url: boolean
}

export function modesOf(capabilities: unknown): Modes {
  const declared = isPlainObject(capabilities) ? capabilities.elicitation : undefined
  if (!isPlainObject(declared)) return { form: false, url: false }
  const url = isPlainObject(declared.url)
  return { form: isPlainObject(declared.form) || !url, url }
}

/** What a client answered, as the question's own answer: of an approval only the chosen word is a yes. */
export function heard({ question }: Description, received: unknown): unknown {
  const raw = liftComment(received)
  if (question.kind !== 'approval') return raw
  const judged = judgeAnswer({ kind: 'form', message: question.title, form: decisionForm }, raw)
  if (!judged.ok) return { action: 'accept without a decision' }
  const { action, ...rest } = judged.answer
  if (action === 'cancel') return { ...judged.answer, ...noAnswerIn(raw) }
  if (action !== 'accept') return judged.answer
  const comment = rest.comment === undefined ? {} : { comment: rest.comment }
  return { action: judged.answer.content?.decision === 'approve' ? 'accept' : 'decline', ...comment }
}

/** Our gateway says in `_meta` what a cancel stands for. */
function noAnswerIn(raw: unknown): { readonly _meta?: unknown } {
  return isPlainObject(raw) && isPlainObject(raw._meta) ? { _meta: raw._meta } : {}
}

/** Beside a question for a gateway of ours: how long its asker waits, and what of it Assent's own tools checked. */
export function withAskMeta(params: Params, { question }: Description, meta: AskMeta): Params {
  const checked = question.kind === 'form' ? question.checked : undefined
  return { ...params, _meta: askMeta({ ...meta, ...(checked === undefined ? {} : { checked }) }) }
}

export type Params = Readonly<Record<string, JsonValue>>

/** A question as a client is told it: the same members in every revision that has the mode. */
export type Told = { readonly ok: true; readonly params: Params } | { readonly ok: false; readonly why: string }

export function told(description: Description, modes: Modes, revision: Revision | Revision2025): Told {
  const { kind, question } = description
  if (kind === 'secret')
    return {
      ok: false,
      why: 'a secret never travels through a client, and this server has no page to hand it over on.',
    }
  const mode = question.kind === 'url' ? 'url' : 'form'
  if (!modes[mode]) {
    return { ok: false, why: `the client did not declare that it can show ${mode === 'url' ? 'links' : 'forms'}.` }
  }
  const message = messageOf(description)
  if (question.kind === 'url') return { ok: true, params: { mode, message, url: question.url } }
  const encoded = encodedOnce(question.kind === 'form' ? question.form : decisionForm, revision)
  if (!encoded.ok) return { ok: false, why: encoded.reason }
  // The first revision had no modes, and strict clients of it refuse members they do not know.
  const named = revision === '2025-06-18' ? {} : { mode }
  return { ok: true, params: { ...named, message, requestedSchema: encoded.schema } }
}
