// Statements on the database per question that a person answers in the inbox, counted on PostgreSQL.

import { randomBytes } from 'node:crypto'
import { createKeyRing, newId } from '@assent/core'
import { type MeasuredStep, openPostgres } from '@assent/store'
import { beforeEach, expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { closedOnce, identifyByHeader } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { newSchema } from '../../../../test-kit/postgres.ts'
import { until } from '../../../../test-kit/until.ts'
import { inboxApp } from '../inbox/inbox-app.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { startGateway } from '../program/gateway.ts'
import { call } from './wire.suite.ts'

const baseUrl = 'https://inbox.example'
const fromOurPage = { origin: baseUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const withoutForms = { capabilities: {} }
/** How long a request waits for the answer before its caller has to retry. */
const [longMs, shortMs] = [25_000, 100]
const questions = 12
const pages = 200
// A retry that waits for longer is written down, which a slow machine would count as a statement of the question.
beforeEach(() => setLimits(relayLimits, { callerBackMs: 60_000 }))
const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** Statements that run at intervals while the gateway is in use, however many questions are asked. */
const periodic = [
  'renew_replica',
  'count_open',
  'find_',
  'withdraw_of',
  'read_position',
  'read_ends',
  'look_into_box',
  'read_notices',
]

/** A gateway with an inbox on PostgreSQL, a 2026 server and a 2026 client that cannot show questions. */
async function aMeasuredGateway(holdMs: number, pollMs = 2_000) {
  const { url, schema, drop } = await newSchema()
  closeAfterTest(drop)
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const statements: string[] = []
  let asks = 0
  const onStep = ({ name }: MeasuredStep) => {
    statements.push(name)
    if (name.startsWith('raise_ask')) asks += 1
  }
  const store = await openPostgres(url, { keys, schema, connections: 4, pollMs, onStep })
  closeAfterTest(() => store.close())
  const server = await anAskingServer('2026-07-28')
  const gateway = closedOnce(
    await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers: { deploy: { url: server.url } },
      store,
      keys,
      surfaces: ['client', 'inbox'],
      identify: identifyByHeader,
      holdMs,
    }),
  )
  const inbox = inboxApp({ store, tenant: 'default', baseUrl, keys })
  const send = (path: string, init: RequestInit = {}) =>
    inbox.fetch(new Request(`${baseUrl}${path}`, { ...init, headers: { host: 'inbox.example', ...init.headers } }))
  const signIn = async (principal: string) => {
    const link = (await inbox.signInLink({ principal, groups: [] })) ?? ''
    const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
    const response = await send('/api/sign-in', {
      method: 'POST',
      headers: fromOurPage,
      body: JSON.stringify({ code }),
    })
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1)
    return cookie
  }
  return { url: gateway.url, statements, send, signIn, raised: () => asks }
}

type Measured = Awaited<ReturnType<typeof aMeasuredGateway>>

/** One question: the call, the list, the answer, the result. The pauses let the background work of each part finish. */
async function decideOne(measured: Measured, cookie: string, isRetried: boolean): Promise<void> {
  const { url, send, raised } = measured
  const before = raised()
  const args = { questions: [whichRegion] }
  const first = call(url, args, {}, withoutForms)
  const { requestState } = isRetried ? (await first).message.result : { requestState: undefined }
  await until(() => (raised() > before ? true : undefined))
  await pause()
  const list = (await (await send('/api/asks', { headers: { cookie } })).json()) as { asks: { id: string }[] }
  const id = list.asks[0]?.id ?? ''
  const body = JSON.stringify({ decisionId: newId('decision', Date.now(), randomBytes), answer: inEurope })
  const answered = await send(`/api/asks/${id}/answer`, { method: 'POST', headers: { ...fromOurPage, cookie }, body })
  expect(answered.status).toBe(200)
  const { result } = (await (isRetried ? call(url, args, { requestState }, withoutForms) : first)).message
  expect(result).toMatchObject({ content: [{ text: 'done' }] })
  await pause()
}

/** The statements that several questions cause. */
async function statementsOf(measured: Measured, cookie: string, isRetried: boolean): Promise<string[]> {
  await decideOne(measured, cookie, isRetried)
  measured.statements.length = 0
  for (let count = 0; count < questions; count++) await decideOne(measured, cookie, isRetried)
  return measured.statements.filter((name) => !periodic.some((prefix) => name.startsWith(prefix)))
}

/** Opens the change stream of this person, and reads it until the test ends. */
async function openPage({ send, signIn }: Measured, principal: string): Promise<void> {
  const response = await send('/api/changes', { headers: { cookie: await signIn(principal) } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  closeAfterTest(() => reader.cancel())
}

test('[FLEET-21] a question that is answered in the inbox while its request waits takes three statements', async () => {
  const measured = await aMeasuredGateway(longMs)
  const cookie = await measured.signIn('ann')

  const caused = await statementsOf(measured, cookie, false)

  const each = ['raise_ask_within_1', 'list_open_51', 'answer_ask']
  expect(withoutSessions(caused)).toEqual(Array.from({ length: questions }, () => each).flat())
})

test('[FLEET-21] a question whose caller retries takes six statements, with the claim of the round and its outcome', async () => {
  const measured = await aMeasuredGateway(shortMs)
  const cookie = await measured.signIn('ann')

  const caused = await statementsOf(measured, cookie, true)

  const raised = ['raise_ask_within_1', 'hand_out_ask']
  const each = [...raised, 'list_open_51', 'answer_ask', 'claim_round', 'finish_round']
  expect(withoutSessions(caused)).toEqual(Array.from({ length: questions }, () => each).flat())
})

test('[FLEET-21] with 200 open pages of other people, a question takes at most a tenth more statements', async () => {
  // Each poll reads changes once, however many questions there are, so there is no poll here.
  const measured = await aMeasuredGateway(longMs, 600_000)
  const cookie = await measured.signIn('ann')
  const alone = await statementsOf(measured, cookie, false)
  for (let count = 0; count < pages; count++) await openPage(measured, `p${count}`)

  const crowded = await statementsOf(measured, cookie, false)

  expect(withoutSessions(crowded).length).toBeLessThanOrEqual(1.1 * withoutSessions(alone).length)
  const others = crowded.filter((name) => !name.startsWith('read_changes'))
  expect(counts(withoutSessions(others))).toEqual(counts(withoutSessions(alone)))
})

/** A session is read once per five seconds; a question may take as long on a slow machine. */
function withoutSessions(names: readonly string[]): string[] {
  const reads = names.filter((name) => name === 'read_session').length
  expect(reads).toBeLessThanOrEqual(questions)
  return names.filter((name) => name !== 'read_session')
}

function counts(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
}
