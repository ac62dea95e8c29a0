// Waiting calls while the database confirms no write for ten seconds, because its synchronous standby is paused: reads
// work, and a write that was sent is confirmed only at the end of the stall.

import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { ReplicatedPostgres } from '../../../../test-kit/replicated-postgres.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits } from '../limits.ts'
import { call } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const args = { questions: [whichRegion] }
const withoutForms = { capabilities: {} }
const stallMs = 10_000

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('[FLEET-20] a database that confirms no write for ten seconds ends no waiting call, and the answers after that arrive', async () => {
  const servers = { older: await anAskingServer('2025-11-25'), newer: await anAskingServer('2026-07-28') }
  const configs = { older: { url: servers.older.url }, newer: { url: servers.newer.url } }
  const database = await ReplicatedPostgres.start('stall')
  closeAfterTest(() => database.remove())
  const cluster = await openCluster(configs, {
    database: database.url,
    gateway: { surfaces: ['inbox'], patienceMs: 120_000, holdMs: 60_000 },
  })
  const [{ url, store }, other] = cluster.replicas
  const older = await aClient('2025-11-25', url, { elicitation: 'none' })
  const calls = [
    older.call('older__ask', args),
    older.call('newer__ask', args),
    call(url, args, { name: 'older__ask' }, withoutForms).then(({ message }) => message.result ?? message.error),
    call(url, args, { name: 'newer__ask' }, withoutForms).then(({ message }) => message.result ?? message.error),
  ]
  const ended = Promise.allSettled(calls)
  const asks = await until(async () => {
    const open = await openAsks(store)
    return open.length === calls.length ? open : undefined
  })
  // The other replica owns nothing, and has watched this one for long enough to declare it dead.
  await sleep(relayLimits.leaseMs + 2 * relayLimits.renewEveryMs)

  const resume = database.pauseStandby()
  await sleep(stallMs / 2)
  // The person gets an error and tries again later. The first answer may be stored at the end of the stall.
  const answering = asks.slice(0, 2).map((ask) => answerInInbox(other.store, ask, inEurope))
  const duringStall = await Promise.allSettled(answering)
  await sleep(stallMs / 2)
  resume()
  // No replica may sweep before this one had the time to renew its lease.
  await sleep(relayLimits.leaseMs + 2 * relayLimits.renewEveryMs)
  for (const ask of asks) await answerInInbox(other.store, ask, inEurope)

  for (const one of duringStall) expect(one).toMatchObject({ reason: { code: 'store_unavailable' } })
  expect(await ended).toMatchObject(calls.map(() => ({ value: done })))
  for (const server of Object.values(servers)) expect(server.saw).toEqual([inEurope, inEurope])
  expect(await cluster.tamper(`select id from calls where state = 'lost'`)).toEqual([])
}, 120_000)
