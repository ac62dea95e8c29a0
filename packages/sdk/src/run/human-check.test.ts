import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import { type Caller, type ConnectedHandler, connectionKinds, type Person } from '../connections.suite.ts'
import { accept, roundsOf } from '../rounds.suite.ts'
import { callTool, scriptedPerson } from '../testing.ts'

let open: Caller | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

const yes = { action: 'accept', content: { decision: 'approve' } }
const after =
  (ms: number, answer: unknown): Person =>
  () =>
    new Promise((resolve) => setTimeout(resolve, ms, answer))

describe.each(connectionKinds)('$revision: $name', (way) => {
  const play = async (handler: ConnectedHandler, person: Person, unseenAfterMs: number, more = {}) => {
    const assent = createAssent({ name: 'staged', unseenAfterMs })
    open = await way.open({ assent, tools: { tool: handler }, person, ...more })
    return open.call('tool')
  }
  const gated =
    (ran: () => string): ConnectedHandler =>
    async (_, { gate }) =>
      (await gate({ title: 'Delete', arguments: { path: '/' } }, ran)).value
  const refusal = { 'assent/refusal': { code: 'unseen' } }

  test('[GATE-10] an approval that a client accepts too fast opens no gate and does not count', async () => {
    const ran = vi.fn(() => 'deleted')
    const result = await play(gated(ran), () => yes, 10_000)
    expect(result.meta).toMatchObject(refusal)
    expect(result.text).toContain('The client accepted "Delete" faster than a person can read it')
    expect(ran).not.toHaveBeenCalled()

    await open?.close()
    const asked = await play(
      async (_, { ask }) => {
        await ask.approve('Delete', { path: '/' })
        return 'approved'
      },
      () => yes,
      10_000,
    )
    expect(asked.meta).toMatchObject(refusal)
  })

  test('[GATE-10] an approval above the limit counts, and so does any other answer however fast', async () => {
    const ran = vi.fn(() => 'deleted')
    expect((await play(gated(ran), after(60, yes), 30)).text).toBe('deleted')
    expect(ran).toHaveBeenCalledOnce()

    await open?.close()
    const confirmed = { action: 'accept', content: { confirmed: true } }
    const asked = await play(
      async (_, { ask }) => String(await ask.confirm('Sure?')),
      () => confirmed,
      10_000,
    )
    expect(asked.text).toBe('true')
  })

  test('[GATE-10] a fast decline is a decline', async () => {
    const declined = { action: 'accept', content: { decision: 'decline' } }
    const result = await play(
      gated(() => 'deleted'),
      () => declined,
      10_000,
    )
    expect(result.meta).toMatchObject({ 'assent/refusal': { code: 'declined' } })
  })
})

describe('without a connection', () => {
  test('[GATE-10] on 2026-07-28 the time runs from the first time the question was asked, by the clock of the server', async () => {
    let nowMs = 1_000_000
    const ran = vi.fn(() => 'deleted')
    const assent = createAssent({ name: 'ops', nowMs: () => nowMs })
    const round = roundsOf(
      assent.interactive,
      async (_, { gate }) => (await gate({ title: 'Delete', arguments: {} }, ran)).value,
    )
    const answers = { 'ask-1': accept({ decision: 'approve' }) }
    const env = { env: 'test' }

    const { state } = await round(env, { isReal: true })
    nowMs += 299
    expect((await round(env, { isReal: true, state, answers })).code).toBe('unseen')
    nowMs -= 400
    expect((await round(env, { isReal: true, state, answers })).code).toBe('unseen')
    expect(ran).not.toHaveBeenCalled()
    nowMs += 401
    // A client that comes back without an answer gets a new state; the time does not start over.
    const { state: again } = await round(env, { isReal: true, state })
    expect((await round(env, { isReal: true, state: again, answers })).text).toBe('deleted')
  })

  test('[GATE-10] a cancel that our gateway marks as unseen is unseen, also where the client is a gateway', async () => {
    const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }
    const assent = createAssent({ name: 'ops' })
    const round = roundsOf(
      assent.interactive,
      async (_, { gate }) => (await gate({ title: 'Delete', arguments: {} }, () => 'deleted')).value,
    )
    const { state } = await round()
    expect((await round(undefined, { state, answers: { 'ask-1': unseen } })).code).toBe('unseen')
  })

  test.each(['2025-11-25', '2026-07-28'] as const)(
    '[GATE-10] a scripted person of a test on %s may answer at once',
    async (revision) => {
      const assent = createAssent({ name: 'ops', unseenAfterMs: 10_000 })
      const tool = assent.interactive(
        async ({ gate }) => (await gate({ title: 'Delete', arguments: {} }, () => 'deleted')).value,
      )
      const person = scriptedPerson().approves()
      expect((await callTool(tool, undefined, { person, revision })).text).toBe('deleted')
    },
  )

  test('[GATE-10] the limit is a number of milliseconds', () => {
    for (const unseenAfterMs of [-1, 0.5, 10_001, Number.NaN])
      expect(() => createAssent({ unseenAfterMs })).toThrow('unseenAfterMs is from 0 to 10000')
  })
})
