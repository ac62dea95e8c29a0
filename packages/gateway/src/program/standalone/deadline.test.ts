import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import { aHome, generations, type Home } from './windows.suite.ts'

const day = 24 * 60 * 60 * 1_000
let home: Home
let store: Store

beforeAll(async () => {
  home = await aHome()
  store = await home.store()
  writeFileSync(join(home.project, 'AGENTS.md'), '# Rules\n\n## Style\n\nUse tabs.\n\n## Style\n\nUse tabs.\n')
  writeFileSync(join(home.project, 'CLAUDE.md'), '# Rules\n\nUse tabs.\n')
  home.commit('begin')
}, 120_000)

afterAll(() => home.close())

/** The first ask that is not one of these, whether it is still open or not. */
function newAsk(known: readonly string[]): Promise<Ask> {
  return until(async () => (await allAsks()).find(({ id }) => !known.includes(id)))
}

async function allAsks(): Promise<readonly Ask[]> {
  const page = { tenant: onlyTenant, person: localPerson }
  const [open, ended] = [
    await store.inbox.page({ ...page, show: 'open' }),
    await store.inbox.page({ ...page, show: 'ended' }),
  ]
  return [...open.asks, ...ended.asks]
}

async function knownAsks(): Promise<readonly string[]> {
  return (await allAsks()).map(({ id }) => id)
}

describe.each(generations)('a %s client that cannot ask', (generation) => {
  test.each([
    { asksWait: undefined, atLeastMs: day - 60_000, atMostMs: day },
    { asksWait: '30m', atLeastMs: 29 * 60_000, atMostMs: 30 * 60_000 },
    { asksWait: '50s', atLeastMs: 30_000, atMostMs: 50_000 },
  ])(
    '[WAIT-6] an onboarding ask stays open for ASSENT_ASKS_WAIT: $asksWait',
    async ({ asksWait, atLeastMs, atMostMs }) => {
      const variables = asksWait === undefined ? {} : { ASSENT_ASKS_WAIT: asksWait }
      const window = await home.window(generation, undefined, variables)
      await window.call('onboarding', { action: 'propose' })

      const known = await knownAsks()
      const calling = window.call('onboarding', { action: 'approve' })
      const ask = await newAsk(known)
      const answer = { action: 'accept', content: { approved: false } }
      const { kind } = await store.asks.answer({
        tenant: onlyTenant,
        id: ask.id,
        person: localPerson,
        via: 'inbox',
        answer,
      })

      expect(kind).toBe('settled')
      expect(await calling).toMatchObject({ data: { status: 'declined' } })
      expect(ask.decideByMs - ask.raisedAtMs).toBeGreaterThan(atLeastMs)
      expect(ask.decideByMs - ask.raisedAtMs).toBeLessThanOrEqual(atMostMs)
    },
  )

  test('[WAIT-5] onboarding accepts an answer just before the deadline, and none after it', async () => {
    const window = await home.window(generation, undefined, { ASSENT_ASKS_WAIT: '3s' })
    const ends: string[] = []
    for (const beforeMs of [150, -50]) {
      await window.call('onboarding', { action: 'propose' })
      const known = await knownAsks()
      const calling = window.call('onboarding', { action: 'approve' })
      const ask = await newAsk(known)
      await until(() => (store.nowMs() >= ask.decideByMs - beforeMs ? true : undefined))
      const answer = { action: 'accept', content: { approved: false } }
      const request = { tenant: onlyTenant, id: ask.id, person: localPerson, via: 'inbox', answer } as const
      const { kind } = await store.asks.answer(request)
      const { data } = await calling
      ends.push(kind)
      expect(data.status).toBe(kind === 'settled' ? 'declined' : 'canceled')
    }
    expect(ends.at(-1)).toBe('ended')
  })
})
