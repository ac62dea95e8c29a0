// An example ask for the empty inbox. It exists only in this page: no answer is sent, and nothing runs.

import type { AnswerBody, AskView } from '@assent/core'
import { serverNow } from '../api/server-time.ts'
import { listText } from '../text/list.ts'

const words = listText.example

export function exampleAsk(nowMs: number): AskView {
  return {
    id: 'example',
    headline: words.headline,
    asker: { server: words.agent, isAgent: true },
    caller: { client: words.agent, folder: words.folder, branch: words.branch },
    onBehalfOf: { name: words.you, isYou: true },
    question: {
      kind: 'form',
      claim: words.claim,
      isDestructive: true,
      fields: [{ kind: 'boolean', name: 'answer', label: words.field, required: true }],
    },
    raisedAtMs: nowMs,
    decideByMs: nowMs + 10 * 60_000,
    answers: ['accept', 'decline', 'cancel'],
    buttons: [
      { label: words.yes, verdict: 'yes', key: 'y', answer: { action: 'accept', content: { answer: true } } },
      { label: words.no, verdict: 'no', key: 'n', answer: { action: 'accept', content: { answer: false } } },
    ],
    commentReaches: 'asker',
    state: { kind: 'open' },
  }
}

const outcomes = {
  yes: { outcome: 'accepted', answered: { name: 'yes', verdict: 'yes', text: words.yes } },
  no: { outcome: 'accepted', answered: { name: 'no', verdict: 'no', text: words.no } },
  decline: { outcome: 'declined', answered: { name: 'declined', verdict: 'no', text: words.declined } },
  cancel: { outcome: 'cancelled', answered: { name: 'dismissed', verdict: 'neutral', text: words.dismissed } },
} as const

export function answerExample(ask: AskView, { action, content, comment }: AnswerBody['answer']): AskView {
  const outcome = outcomes[action === 'accept' ? (content?.answer === true ? 'yes' : 'no') : action]
  const by = { name: words.you, isYou: true }
  const what = words.answered(outcome.answered.text)
  const withComment = comment === undefined ? {} : { comment }
  return {
    ...ask,
    answers: [],
    buttons: [],
    state: { kind: 'settled', what, ...outcome, by, via: 'inbox', atMs: serverNow(), content: [], ...withComment },
  }
}
