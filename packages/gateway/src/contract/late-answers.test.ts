import { createServer } from 'node:http'
import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { anSdkServer } from './sdk-servers.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const inEurope = { action: 'accept', content: { region: 'eu' } }
const surfaces = ['inbox'] as const

async function entriesOf(store: Store, id: string): Promise<string[]> {
  const found: string[] = []
  for await (const { kind, subject } of store.audit.entries('default')) if (subject === id) found.push(kind)
  return found
}

function undelivered(store: Store, { id }: Ask): Promise<Ask> {
  return until(async () => {
    const ask = await store.asks.read('default', id)
    return ask?.state.kind === 'settled' && ask.state.undeliveredAtMs !== undefined ? ask : undefined
  })
}

describe.each(pairings)('a $client client that drops its call, and a $server server', ({ client: speaks, server }) => {
  const aCall = async (drop: AbortController, change: (store: Store) => void = () => undefined) => {
    const asking = await anAskingServer(server)
    const { store, gateway } = await openTestEnv()
    change(store)
    const { url } = await gateway({ deploy: { url: asking.url } }, { surfaces, holdMs: 20_000 })
    const client = await aClient(speaks, url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [whichRegion] }, drop.signal).catch((error: Error) => error)
    return { asking, store, calling, ask: await firstAsk(store) }
  }

  test('[WAIT-11] an answer just before the ask is withdrawn is recorded as not delivered', async () => {
    const drop = new AbortController()
    const { asking, store, calling, ask } = await aCall(drop)
    const withdraw = store.asks.withdraw.bind(store.asks)
    store.asks.withdraw = async (...given) => {
      await answerInInbox(store, ask, inEurope)
      return withdraw(...given)
    }

    drop.abort()

    expect((await undelivered(store, ask)).state).toMatchObject({ kind: 'settled', answer: inEurope })
    expect(await calling).toBeInstanceOf(Error)
    expect(await entriesOf(store, ask.id)).toEqual(['ask.raised', 'ask.settled', 'ask.undelivered'])
    expect(asking.saw).not.toContainEqual(inEurope)
  })

  test('[WAIT-11] an answer that is being sent to the gateway when its caller disconnects is recorded as not delivered', async () => {
    const drop = new AbortController()
    const { asking, store, calling, ask } = await aCall(drop, (from) => {
      const wait = from.asks.wait.bind(from.asks)
      from.asks.wait = async (...given) => {
        const ended = await wait(...given)
        drop.abort()
        // The gateway has noticed it.
        await until(() => (given[2]?.signal?.aborted === true ? true : undefined))
        return ended
      }
    })

    await answerInInbox(store, ask, inEurope)

    expect((await undelivered(store, ask)).state).toMatchObject({ kind: 'settled', answer: inEurope })
    expect(await calling).toBeInstanceOf(Error)
    expect(asking.saw).not.toContainEqual(inEurope)
  })
})

test('[WAIT-11] a caller whose timeout is shorter than the minimum time of a question still gets the answer', async () => {
  const server = await anSdkServer('2026-07-28')
  let behindMs = 0
  const { store, gateway } = await openTestEnv({ clock: () => Date.now() - behindMs })
  const raise = store.asks.raise.bind(store.asks)
  // A question is open for at least one second. By the clock of the store it stays open, however slow the machine is.
  store.asks.raise = async (...raised) => {
    setImmediate(() => {
      behindMs = 60_000
    })
    return raise(...raised)
  }
  const patienceMs = 400
  const { url } = await gateway({ names: { url: server.url } }, { surfaces, patienceMs })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })

  // A lone surrogate has no canonical form, so the call cannot be deferred.
  const calling = client.call('name', { half: '\ud800', waitMs: 60_000 })
  const ask = await firstAsk(store)
  await until(() => (Date.now() > ask.raisedAtMs + patienceMs + 100 ? true : undefined))
  const { kind } = await answerInInbox(store, ask, { action: 'accept', content: { text: 'Ada' } })

  expect(kind).toBe('settled')
  expect(await calling).toMatchObject({ content: [{ text: 'got Ada' }] })
})

test('[WAIT-11] a cancellation does not overtake the answer to a server that reads slowly', async () => {
  const saw: unknown[] = []
  const { url: origin } = await listening(
    createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const { id, method, params } = JSON.parse(body)
      const reply = (result: object) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      response.setHeader('content-type', 'application/json')
      const described = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
      if (method === 'server/discover') return reply({ resultType: 'complete', ...described })
      const asked = { method: 'elicitation/create', params: whichRegion }
      const unfinished = { resultType: 'input_required', requestState: 'asked', inputRequests: { region: asked } }
      if (params.inputResponses === undefined) return reply(unfinished)
      await new Promise((resolve) => setTimeout(resolve, 400))
      if (!request.socket.destroyed) saw.push(params.inputResponses.region)
      return reply({ resultType: 'complete', content: [] })
    }),
  )
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: `${origin}/mcp` } }, { surfaces })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })
  const drop = new AbortController()
  const calling = client.call('ask', {}, drop.signal).catch((error: Error) => error)
  const ask = await firstAsk(store)
  const delivered = store.asks.delivered.bind(store.asks)
  // Called while the answer is being sent.
  store.asks.delivered = async (...given) => {
    setTimeout(() => drop.abort(), 100)
    return delivered(...given)
  }

  await answerInInbox(store, ask, inEurope)

  expect(await calling).toBeInstanceOf(Error)
  expect(await until(() => saw[0])).toEqual(inEurope)
  expect(await entriesOf(store, ask.id)).toEqual(['ask.raised', 'ask.settled'])
})

test('[WAIT-4] if the caller’s timeout ends before the ask expires in the store, the asker gets a timeout', async () => {
  const server = await anSdkServer('2026-07-28')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ names: { url: server.url } }, { surfaces, patienceMs: 1_500 })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })
  const raise = store.asks.raise.bind(store.asks)
  // Simulates a slow database, by whose clock the question then expires later.
  store.asks.raise = async (...raised) => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    return raise(...raised)
  }

  await client.call('name', { half: '\ud800', waitMs: 60_000 })

  expect(server.ended).toEqual(['timed_out'])
})
