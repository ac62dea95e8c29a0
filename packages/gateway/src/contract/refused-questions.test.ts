// A refused question is visible to operators: one log line, one metric by reason, one audit entry.

import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { redactor } from '../config/redact.ts'
import { createLog } from '../telemetry/log.ts'
import { logTelemetry } from '../telemetry/log-telemetry.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { anOlderRawServer, aRawServer, aSession, asks, call, complete, nextOf, type Sender } from './wire.suite.ts'

const secret = { type: 'object', properties: { password: { type: 'string' } } }
const nested = { type: 'object', properties: { a: { type: 'object' } } }
const asking = { ...whichRegion }
const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`q${n}`, asking]))

interface Options {
  readonly asksEnabled?: boolean
  readonly openAsks?: { readonly perCaller: number; readonly total: number }
  readonly surfaces?: readonly ('client' | 'inbox')[]
  readonly unseenAfterMs?: number
}

async function aWatchedGateway(server: { url: string }, options: Options = {}) {
  const testEnv = await openTestEnv()
  const figures = new Metrics('1')
  const lines: string[] = []
  const log = createLog({ level: 'info', redact: () => redactor([]), write: (line) => lines.push(line) })
  const { url } = await testEnv.gateway(
    { deploy: { url: server.url } },
    { watch: logTelemetry(figures, log), ...options },
  )
  const refusedNotes = async () => {
    const notes: Record<string, unknown>[] = []
    for await (const { subject, body } of testEnv.store.audit.entries('default')) {
      if (subject === 'relay') notes.push(...JSON.parse(body).passed)
    }
    return notes.filter(({ event }) => event === 'refused')
  }
  return {
    url,
    /** Checks that exactly one question was refused for this reason, in all three places. */
    refusedOnce: async (why: string, about: object = { tool: 'ask' }) => {
      const notes = await until(async () => {
        const found = await refusedNotes()
        return found.length > 0 ? found : undefined
      })
      expect(notes).toEqual([
        expect.objectContaining({ event: 'refused', server: 'deploy', principal: 'ann', why, ...about }),
      ])
      const logged = lines.map((line) => JSON.parse(line)).filter(({ why }) => why !== undefined)
      expect(logged).toEqual([expect.objectContaining({ server: 'deploy', why, level: 'warn', ...about })])
      expect(figures.text()).toContain(`assent_refusals_total{reason="${why}"} 1\n`)
      expect(JSON.stringify([notes, logged])).not.toMatch(/Which|region|password/)
    },
  }
}

test.each<[string, object, Options, Sender]>([
  ['secret', { q: { ...asking, requestedSchema: secret } }, {}, {}],
  ['schema', { q: { ...asking, requestedSchema: nested } }, {}, {}],
  ['link', { q: { mode: 'url', message: 'Look.', url: 'javascript:alert(1)', elicitationId: 'e' } }, {}, {}],
  ['too-large', { q: { ...asking, message: 'x'.repeat(9_000) } }, {}, {}],
  ['too-many', many, {}, {}],
  ['disabled', { q: asking }, { asksEnabled: false }, {}],
  ['too-many-open-caller', { q: asking }, { openAsks: { perCaller: 0, total: 10 }, surfaces: ['inbox'] }, {}],
  ['unsupported', { q: asking }, {}, { capabilities: {} }],
])(
  '[REFUSE-1] a 2026-07-28 server’s question refused as %s is logged, counted and audited',
  async (why, questions, options, sender) => {
    const server = await aRawServer(() => asks(questions as Record<string, unknown>))
    const gateway = await aWatchedGateway(server, options)

    await call(gateway.url, {}, {}, sender)

    await gateway.refusedOnce(why)
  },
)

test.each<[string, object, Options, object]>([
  ['secret', { ...asking, requestedSchema: secret }, {}, { elicitation: {} }],
  ['disabled', asking, { asksEnabled: false }, { elicitation: {} }],
  ['unsupported', asking, {}, {}],
])(
  '[REFUSE-1] a 2025-11-25 server’s question refused as %s is logged, counted and audited',
  async (why, params, options, capabilities) => {
    const server = await anOlderRawServer(({ say }) => say({ id: 'q', method: 'elicitation/create', params }))
    const gateway = await aWatchedGateway(server, options)
    const session = await aSession(gateway.url, { capabilities })

    await session.ask('tools/call', { name: 'ask', arguments: {} })

    await gateway.refusedOnce(why)
  },
)

test('[REFUSE-2] a server whose questions are disabled gets an error, whatever the client declared', async () => {
  for (const capabilities of [{}, { elicitation: {} }]) {
    const server = await anOlderRawServer(({ say }) =>
      say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
    )
    const { url } = await aWatchedGateway(server, { asksEnabled: false })
    await (await aSession(url, { capabilities })).ask('tools/call', { name: 'ask', arguments: {} })

    const reply = await until(() => server.received.find(({ id }) => id === 'q'))
    expect(reply.error).toMatchObject({ code: -32_601, message: expect.stringContaining('asks.enabled: false') })
  }
})

test('[REFUSE-3] a question outside any call gets -32000, and is logged, counted and audited', async () => {
  let say: ((message: object) => void) | undefined
  const server = await anOlderRawServer((begun) => {
    say = begun.say
    begun.say({ id: begun.id, result: { content: [] } })
  })
  const gateway = await aWatchedGateway(server)
  const session = await aSession(gateway.url)
  await nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }))

  say?.({ id: 'q', method: 'elicitation/create', params: whichRegion })
  say?.({ id: 'other', method: 'example/unknown', params: {} })

  const reply = await until(() => server.received.find(({ id }) => id === 'q'))
  expect(reply.error).toMatchObject({ code: -32_000, message: expect.stringContaining('No call is in progress') })
  expect(await until(() => server.received.find(({ id }) => id === 'other'))).toMatchObject({
    error: { code: -32_601 },
  })
  await gateway.refusedOnce('no-call', {})
})

test('[REFUSE-1] a question that is asked and answered is not reported as refused', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ q: whichRegion }, 's') : complete,
  )
  const testEnv = await openTestEnv()
  const figures = new Metrics('1')
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { watch: figures })
  const first = await call(gateway.url, {})
  const { requestState } = first.message.result
  await call(gateway.url, {}, { requestState, inputResponses: { q: { action: 'decline' } } })
  await gateway.close()

  const counted = figures
    .text()
    .split('\n')
    .filter((line) => line.startsWith('assent_refusals_total{') && !line.endsWith(' 0'))
  expect(counted).toEqual([])
})

test('[REFUSE-1] [FORM-22] an invalid answer is logged, counted and audited, without its content', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ q: asking }, 'state') : complete,
  )
  // A person's invalid answer would be asked for again.
  const gateway = await aWatchedGateway(server, { unseenAfterMs: 60_000 })
  const { requestState } = (await call(gateway.url, {})).message.result

  await call(
    gateway.url,
    {},
    { requestState, inputResponses: { q: { action: 'accept', content: { region: 'Which' } } } },
  )

  await gateway.refusedOnce('invalid-answer')
})
