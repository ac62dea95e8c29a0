// Listing, reading and answering over the API, on both engines.

import {
  type AnsweredView,
  type AskPageView,
  boolean,
  choice,
  form,
  type InboxProblem,
  type OneAskView,
  type StatisticsView,
} from '@assent/core'
import { expect } from 'vitest'
import { aDecisionId, anApproval, anAsk, ann, ben, onEachEngine, signIn, tenant } from './inbox-env.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }

onEachEngine(
  '[INBOX-1] the list shows the open asks of this person, in pages, and an answer settles one',
  async ({ store, app }) => {
    const inbox = app({ nameOf: (principal) => (principal === 'ann' ? 'Ann Lee' : principal) })
    const asks = []
    for (let count = 0; count < 3; count++) asks.push(await store.asks.raise(anAsk()))
    await store.asks.raise(
      anAsk({ principal: 'ben', approvalRule: { approvers: ['person:ben'], excluded: [], approvals: 1, declines: 1 } }),
    )
    const browser = await signIn(inbox, ann)
    expect(await (await browser.get('/api/me')).json()).toMatchObject({ name: 'Ann Lee' })

    const first = await page(browser.get('/api/asks?size=2'))
    const second = await page(browser.get(`/api/asks?size=2&cursor=${first.next}`))
    const listed = [...first.asks, ...second.asks].map(({ id }) => id)
    expect(listed.toSorted()).toEqual(asks.map(({ id }) => id).toSorted())
    expect(second.next).toBeUndefined()

    const [id = ''] = listed
    const answered = (await (await browser.answer(id, { ...inEurope, comment: 'go' })).json()) as AnsweredView
    expect(answered).toMatchObject({
      result: 'settled',
      ask: { answers: [], state: { kind: 'settled', comment: 'go' } },
    })
    expect(answered.ask.state).toMatchObject({
      outcome: 'accepted',
      by: { name: 'Ann Lee', isYou: true },
      via: 'inbox',
      what: 'You chose “Europe”',
      answered: { name: 'answered', verdict: 'neutral', text: 'Europe' },
      content: [{ label: 'Region', value: 'Europe' }],
    })
    expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'settled', by: 'ann', via: 'inbox' })
    expect((await page(browser.get('/api/asks'))).asks.map((ask) => ask.id)).not.toContain(id)
    expect((await page(browser.get('/api/history'))).asks.map((ask) => ask.id)).toEqual([id])
    expect((await page(browser.get('/api/history?server=github'))).asks).toEqual([])
    expect((await browser.get('/api/asks?kind=riddle')).status).toBe(400)
    expect((await browser.get('/api/asks?cursor=damaged')).status).toBe(400)
  },
)

onEachEngine(
  '[INBOX-2] only approvers can read and answer an ask; others get the same 404 as for a missing ask',
  async ({ store, app }) => {
    const inbox = app()
    const ask = await store.asks.raise(anAsk())
    const other = await signIn(inbox, ben)
    const missing = anAsk().id

    const replies = await Promise.all([
      other.get(`/api/asks/${ask.id}`),
      other.get(`/api/asks/${missing}`),
      other.get('/api/asks/nonsense'),
      other.answer(ask.id, inEurope),
      other.answer(missing, inEurope),
      other.post(`/api/asks/${ask.id}/answer`, 'no json'),
      other.post(`/api/asks/${missing}/answer`, 'no json'),
    ])
    const sent = await Promise.all(replies.map(async (reply) => [reply.status, await reply.text(), headersOf(reply)]))
    expect(sent[0]?.[0]).toBe(404)
    for (const one of sent) expect(one).toEqual(sent[0])
    expect((await page(other.get('/api/asks'))).asks).toEqual([])
    expect((await store.asks.read(tenant, ask.id))?.state.kind).toBe('open')
  },
)

onEachEngine(
  '[INBOX-3] only a POST decides, once per decision id; the same id with another answer is a conflict',
  async ({ store, app }) => {
    const ask = await store.asks.raise(anAsk())
    const browser = await signIn(app(), ann)
    const decisionId = aDecisionId()
    await browser.get(`/api/asks/${ask.id}`)
    expect((await browser.get(`/api/asks/${ask.id}/answer?action=accept`)).status).toBe(404)
    expect((await store.asks.read(tenant, ask.id))?.state.kind).toBe('open')

    const [once, again] = [
      await browser.answer(ask.id, inEurope, decisionId),
      await browser.answer(ask.id, inEurope, decisionId),
    ]
    expect([once.status, again.status]).toEqual([200, 200])
    expect(await problem(browser.answer(ask.id, { action: 'decline' }, decisionId))).toMatchObject({ code: 'conflict' })
    expect((await browser.answer(ask.id, inEurope, 'short')).status).toBe(400)
    let settled = 0
    for await (const { kind } of store.audit.entries(tenant)) if (kind === 'ask.settled') settled++
    expect(settled).toBe(1)
  },
)

onEachEngine('[INBOX-3] an invalid answer is refused with its field; the ask stays open', async ({ store, app }) => {
  const ask = await store.asks.raise(anAsk())
  const browser = await signIn(app(), ann)

  const invalid = await browser.answer(ask.id, { action: 'accept', content: { region: 'moon' } })
  expect(invalid.status).toBe(422)
  expect(await invalid.json()).toMatchObject({
    code: 'invalid',
    issues: [{ field: 'region', message: 'Choose one of the options.' }],
  })
  expect((await browser.answer(ask.id, { action: 'approve' })).status).toBe(400)
  expect((await browser.post(`/api/asks/${ask.id}/answer`, '{"decisionId":1,"decisionId":2}')).status).toBe(400)
  expect((await browser.answer(ask.id, { action: 'decline', comment: 'x'.repeat(2_000_000) })).status).toBe(413)
  expect((await store.asks.read(tenant, ask.id))?.state.kind).toBe('open')
})

onEachEngine('[INBOX-4] a late answer is refused with who settled the ask, how and when', async ({ store, app }) => {
  const inbox = app({
    nameOf: (principal) => ({ ann: 'Ann', ben: 'Ben' })[principal] ?? principal,
    now: () => Date.now() + 180_500,
  })
  const { id } = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 1))
  const browser = await signIn(inbox, ann)
  await store.asks.answer({
    tenant,
    id,
    person: ben,
    via: 'terminal',
    answer: { action: 'decline', comment: 'wrong region' },
  })

  const late = await browser.answer(id, { action: 'accept' })
  expect(late.status).toBe(409)
  const refusal = (await late.json()) as InboxProblem
  expect(refusal).toMatchObject({
    code: 'ended',
    ask: { state: { outcome: 'declined', via: 'terminal', by: { name: 'Ben' } } },
  })
  expect(refusal.message).toBe(
    'Your answer came too late and changed nothing. Ben declined this from the terminal, 3 min ago: wrong region',
  )
})

onEachEngine(
  '[INBOX-4] votes are shown as they arrive; a second vote and a dismissal that is not allowed are refused with the reason',
  async ({ store, app }) => {
    const inbox = app()
    const { id } = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
    const [here, there] = [await signIn(inbox, ann), await signIn(inbox, ben)]
    expect((await one(here.get(`/api/asks/${id}`))).ask.answers).toEqual(['accept', 'decline'])
    expect(await problem(here.answer(id, { action: 'cancel' }))).toMatchObject({ code: 'no-cancel' })

    expect(await (await here.answer(id, { action: 'accept' })).json()).toMatchObject({ result: 'counted' })
    expect(await problem(here.answer(id, { action: 'decline' }))).toMatchObject({ code: 'already-voted' })
    const seen = (await one(there.get(`/api/asks/${id}`))).ask
    expect(seen.quorum).toMatchObject({
      approvals: 1,
      approvalsNeeded: 2,
      votes: [{ by: { name: 'ann', isYou: false } }],
    })
    expect(await (await there.answer(id, { action: 'accept' })).json()).toMatchObject({ result: 'settled' })
  },
)

onEachEngine(
  '[INBOX-7] a link that cannot be opened safely can be declined or dismissed, not approved',
  async ({ store, app }) => {
    const browser = await signIn(app(), ann)
    const raise = (url: string) => store.asks.raise(anAsk({ question: { kind: 'url', message: 'Sign in', url } }))
    const unsafe = await raise('https://user@bank.example/')
    expect((await one(browser.get(`/api/asks/${unsafe.id}`))).ask).toMatchObject({
      answers: ['decline', 'cancel'],
      question: { link: { ok: false } },
    })
    expect((await browser.answer(unsafe.id, { action: 'accept' })).status).toBe(403)
    expect((await store.asks.read(tenant, unsafe.id))?.state.kind).toBe('open')
    expect((await browser.answer(unsafe.id, { action: 'decline' })).status).toBe(200)
    const safe = await raise('https://bank.example/')
    expect((await browser.answer(safe.id, { action: 'accept' })).status).toBe(200)
  },
)

onEachEngine('[INBOX-6] statistics count outcomes, waiting times and tools', async ({ store, app }) => {
  const browser = await signIn(app(), ann)
  for (const action of ['accept', 'decline', 'decline']) {
    const { id } = await store.asks.raise(anApproval(['person:ann'], 1))
    await browser.answer(id, { action })
  }
  const statistics = (await (await browser.get('/api/statistics?days=7')).json()) as StatisticsView
  expect(statistics).toMatchObject({
    counted: 3,
    complete: true,
    yes: 1,
    no: 2,
    tools: [{ server: 'deploy', tool: 'rollout', yes: 1, no: 2, answered: 0, unanswered: 0 }],
  })
  expect(statistics.outcomes).toContainEqual({ outcome: 'declined', count: 2 })
  expect(statistics.waits[0]).toEqual({ underMs: 10_000, count: 3 })
  expect((await browser.get('/api/statistics?days=0')).status).toBe(400)
  expect((await browser.get('/api/statistics?zone=Berlin')).status).toBe(400)
  expect((await page(browser.get(`/api/history?tool=rollout&from=1&until=${store.nowMs() + 1}`))).asks).toHaveLength(3)
  expect((await page(browser.get('/api/history?until=1'))).asks).toEqual([])
  expect((await browser.get('/api/history?from=yesterday')).status).toBe(400)
  expect((await browser.get('/api/asks?from=1')).status).toBe(400)
})

onEachEngine(
  '[INBOX-20] the history is filtered by agent and project, and the statistics name them, the most frequent first',
  async ({ store, app }) => {
    const browser = await signIn(app(), ann)
    const callers = [
      { client: 'Codex', folder: 'blog' },
      { client: 'Claude Code', folder: 'shop' },
      { client: 'Codex' },
    ]
    const ids: string[] = []
    for (const caller of callers) {
      const { id } = await store.asks.raise(anAsk({ caller }))
      await browser.answer(id, { action: 'decline' })
      ids.push(id)
    }
    const found = async (search: string) => {
      const { asks } = await page(browser.get(`/api/history?${search}`))
      return asks.map(({ id }) => ids.indexOf(id)).toSorted()
    }
    expect(await found('agent=Codex')).toEqual([0, 2])
    expect(await found('agent=Claude%20Code&project=shop')).toEqual([1])
    expect(await found('project=shop&agent=Codex')).toEqual([])
    expect(await (await browser.get('/api/statistics?days=7')).json()).toMatchObject({
      agents: ['Codex', 'Claude Code'],
      projects: ['shop', 'blog'],
    })
  },
)

onEachEngine(
  '[REPLY-6] statistics count a No and a cancelled plan as a no, and a choice as neither',
  async ({ store, app }) => {
    const browser = await signIn(app(), ann)
    const confirm = { kind: 'form', message: 'Delete?', form: form({ confirmed: boolean({ title: 'Yes' }) }) } as const
    const plan = { kind: 'form', message: 'Plan?', form: form({ decision: choice(['approve', 'cancel']) }) } as const
    const asked = [
      [confirm, { confirmed: false }],
      [confirm, { confirmed: true }],
      [plan, { decision: 'cancel' }],
    ] as const
    for (const [question, content] of asked) {
      const { id } = await store.asks.raise(anAsk({ question }))
      await browser.answer(id, { action: 'accept', content })
    }
    const which = await store.asks.raise(anAsk())
    await browser.answer(which.id, { action: 'accept', content: { region: 'eu' } })
    const left = await store.asks.raise(anAsk())
    await browser.answer(left.id, { action: 'cancel' })
    const statistics = (await (await browser.get('/api/statistics?days=7')).json()) as StatisticsView
    expect(statistics).toMatchObject({
      counted: 5,
      yes: 1,
      no: 2,
      tools: [{ yes: 1, no: 2, answered: 1, unanswered: 1 }],
    })
    const { asks } = await page(browser.get('/api/history?outcome=no'))
    expect(asks.map(({ state }) => state)).toMatchObject([{ kind: 'settled', answered: { name: 'no', text: 'No' } }])
    expect((await browser.get('/api/history?outcome=accepted')).status).toBe(400)
  },
)

onEachEngine(
  '[REPLY-8] an answer that looks like a secret counts only after the person confirms it',
  async ({ store, app }) => {
    const browser = await signIn(app(), ann)
    const { id } = await store.asks.raise(anAsk())
    const body = { decisionId: aDecisionId(), answer: { action: 'decline', comment: `use ghp_${'a1B2'.repeat(9)}` } }
    const send = (more: object) => browser.post(`/api/asks/${id}/answer`, { ...body, ...more })
    for (const more of [{}, { confirmed: false }, { confirmed: 'true' }, { confirmed: 1 }]) {
      const refused = await send(more)
      expect(refused.status).toBe(422)
      expect(await refused.json()).toMatchObject({
        code: 'looks-secret',
        message: expect.stringContaining('The comment looks like'),
      })
      expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
    }
    expect(await (await send({ confirmed: true })).json()).toMatchObject({ result: 'settled' })
  },
)

async function page(response: Promise<Response>): Promise<AskPageView> {
  return (await (await response).json()) as AskPageView
}

async function one(response: Promise<Response>): Promise<OneAskView> {
  return (await (await response).json()) as OneAskView
}

async function problem(response: Promise<Response>): Promise<InboxProblem> {
  return (await (await response).json()) as InboxProblem
}

function headersOf(response: Response): Record<string, string> {
  return Object.fromEntries(response.headers)
}
