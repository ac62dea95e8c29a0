// The person's actual answer: stored with the ask, used as a filter, counted and recorded.

import { actionDigest, boolean, choice, form, optional, text } from '@assent/core'
import { expect } from 'vitest'
import { accept, aForm, anApproval, anId, ann, cancel, decline, inEurope } from './drafts.suite.ts'
import { onEachEngine } from './engines.suite.ts'

const tenant = 'acme'
const confirm = {
  kind: 'form',
  message: 'Delete build/?',
  form: form({ confirmed: boolean({ title: 'Yes' }) }),
} as const
const plan = {
  kind: 'form',
  message: 'Approve this plan?',
  form: form({ decision: choice(['approve', 'request_changes', 'cancel']), feedback: optional(text()) }),
} as const

const answers = [
  [aForm({ question: confirm }), { action: 'accept', content: { confirmed: true } }, 'yes'],
  [aForm({ question: confirm }), { action: 'accept', content: { confirmed: false } }, 'no'],
  [aForm({ question: plan }), { action: 'accept', content: { decision: 'approve' } }, 'approved'],
  [aForm({ question: plan }), { action: 'accept', content: { decision: 'request_changes' } }, 'changes_requested'],
  [aForm({ question: plan }), { action: 'accept', content: { decision: 'cancel' } }, 'cancelled'],
  [aForm(), inEurope, 'answered'],
  [aForm(), decline, 'declined'],
  [aForm(), cancel, 'dismissed'],
  [anApproval(['person:ann'], 1), accept, 'approved'],
] as const

onEachEngine(
  '[REPLY-6] the person’s answer is counted, filtered by and recorded under its name, without its content',
  async ({ open }) => {
    const store = await open()
    for (const [draft, answer, name] of answers) {
      const { id } = await store.asks.raise({ ...draft, id: anId() })
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
      const { entries = [] } = (await store.audit.proof(tenant, id)) ?? {}
      const settled = JSON.parse(entries.find(({ kind }) => kind === 'ask.settled')?.body ?? '{}')
      expect(settled).toMatchObject({ answered: name, answer: { action: answer.action } })
      expect(settled.answer).not.toHaveProperty('content')
      const page = await store.inbox.page({ tenant, person: ann, show: 'ended', outcome: name })
      expect(page.asks.map((ask) => ask.id)).toContain(id)
    }
    const { ended } = await store.inbox.statistics({ tenant, person: ann, sinceMs: 0, atMost: 100 })
    expect(ended.map(({ outcome }) => outcome).toSorted()).toEqual(answers.map(([, , name]) => name).toSorted())
  },
)

onEachEngine('[REPLY-7] the ask stores whether the asker receives the comment; the default is no', async ({ open }) => {
  const store = await open()
  const plain = await store.asks.raise(aForm())
  const ours = await store.asks.raise(aForm({ commentReaches: 'asker' }))
  expect(ours.commentReaches).toBe('asker')
  expect((await store.asks.read(tenant, ours.id))?.commentReaches).toBe('asker')
  expect(await store.asks.read(tenant, plain.id)).not.toHaveProperty('commentReaches')
})

onEachEngine(
  '[REPLY-6] without a stored answer name, an accepted form counts as answered and an approval as approved',
  async ({ open, tamper }) => {
    const store = await open()
    const drafts = [aForm({ question: confirm }), anApproval(['person:ann'], 1), aForm(), aForm()]
    const given = [{ action: 'accept', content: { confirmed: false } }, accept, decline, cancel]
    for (const [index, draft] of drafts.entries()) {
      const { id } = await store.asks.raise(draft)
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: given[index] })
    }
    await tamper('update asks set person_answer = null')
    const { ended } = await store.inbox.statistics({ tenant, person: ann, sinceMs: 0, atMost: 100 })
    expect(ended.map(({ outcome }) => outcome).toSorted()).toEqual(['answered', 'approved', 'declined', 'dismissed'])
  },
)

onEachEngine('[STORE-64] the statistics have the policies of each ask and who decided it', async ({ open }) => {
  const store = await open()
  const withPolicies = (policies: readonly string[], note: string) => {
    const draft = anApproval(['person:ann'], 1)
    if (draft.question.kind !== 'approval') throw new Error('It is an approval.')
    const action = { ...draft.question.action, arguments: { note } }
    return { ...draft, question: { ...draft.question, action, digest: actionDigest(action), policies } }
  }
  const asks = [
    withPolicies(['a "quoted"', 'b'], '"policies":["no"]'),
    withPolicies(['c'], '\0'),
    anApproval(['person:ann'], 1),
    aForm(),
  ]
  for (const draft of asks) {
    const { id } = await store.asks.raise(draft)
    await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: { action: 'decline' } })
  }

  const { ended } = await store.inbox.statistics({ tenant: 'acme', person: ann, sinceMs: 0, atMost: 10 })

  const policies = ended.map((ask) => ask.policies)
  expect(policies).toContainEqual(['a "quoted"', 'b'])
  expect(policies.filter((names) => names === undefined).length).toBeGreaterThanOrEqual(2)
  expect(ended.map(({ decidedBy }) => decidedBy)).toEqual(['ann', 'ann', 'ann', 'ann'])
})
