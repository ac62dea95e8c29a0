// An example ask for the empty inbox. It exists only in this page: no answer is sent, and nothing runs.

import type { AskView } from '@assent/core'

export function exampleAsk(nowMs: number): AskView {
  return {
    id: 'example',
    headline: 'Delete the five artifacts in build/?',
    asker: { server: 'Your agent', isAgent: true },
    caller: { client: 'Your agent', folder: 'my-project', branch: 'main' },
    onBehalfOf: { name: 'you', isYou: true },
    question: {
      kind: 'form',
      claim: 'The new build replaces them. Nothing else uses `build/`.\n\nThis cannot be undone.',
      fields: [{ kind: 'boolean', name: 'answer', label: 'Your answer', required: true }],
    },
    raisedAtMs: nowMs,
    decideByMs: nowMs + 10 * 60_000,
    answers: ['accept', 'decline', 'cancel'],
    buttons: [
      { label: 'Yes', verdict: 'yes', key: 'y', answer: { action: 'accept', content: { answer: true } } },
      { label: 'No', verdict: 'no', key: 'n', answer: { action: 'accept', content: { answer: false } } },
    ],
    commentReaches: 'asker',
    state: { kind: 'open' },
  }
}
