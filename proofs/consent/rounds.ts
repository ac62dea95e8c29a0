// One approval, one run: every approved round is retried, in turn, at once, at two replicas and around `kill -9`.
//
// The server counts how often its tool finished for each ticket. A ticket whose retries no kill interrupted must have run
// exactly once; one that a kill interrupted at most once, and its caller gets an error that the outcome is unknown.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../test-kit/random.ts'
import { aCountingServer, type CountingServer } from './counting-server.ts'
import { aDatabase } from './database.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { PersonAtInbox } from './person.ts'
import { inParallel, type Section, type SectionInput, type SectionResult } from './section.ts'
import { handleOf, type Reply, send, stateOf, textOf } from './wire-2026-07-28.ts'

const rounds = 10_000
const kills = 60
const atOnce = 24
const retriesMost = 8
const givesUpAfterMs = 60_000

type Mode = 'in turn' | 'at once' | 'two replicas'
const modes: readonly Mode[] = ['in turn', 'at once', 'two replicas']

export const roundsSection: Section = {
  name: 'one approval, one run',
  run,
  bugs: [
    {
      name: 'a round is sent without a claim',
      package: 'assent',
      file: 'dist/call/hold/claimed-rounds.js',
      from: /await this\.#settle\(key\);?\s+await this\.#heartbeat\.ensure\(\);?/,
      to: 'return await send();',
    },
  ],
}

async function run({ program, folder, random, share }: SectionInput): Promise<SectionResult> {
  const database = await aDatabase()
  // It takes a moment, so that retries overlap.
  const server = await aCountingServer({ tookMs: () => random.int(30) })
  const config = `
store: "${database.url}"
keys: { one: "${Buffer.from(random.bytes(32)).toString('base64')}" }
servers: { pay: { url: "${server.url}" } }
asks: { surfaces: [inbox] }
limits: { request_hold: 300ms, open_per_caller: 10000, open_per_server: 10000, open_per_tenant: 10000, open_total: 10000 }
`
  const start = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true })
    return startGatewayProcess({ program, folder: join(folder, name), config })
  }
  const gateways = [await start('a'), await start('b')] as const
  const scene: Scene = {
    gateways,
    server,
    random,
    people: [
      await PersonAtInbox.signIn(program, join(folder, 'a')),
      await PersonAtInbox.signIn(program, join(folder, 'b')),
    ],
    faults: [],
    counts: { 'interrupted by a kill': 0, 'outcome unknown': 0, kills: 0, retries: 0 },
    killedAt: 0,
  }
  try {
    const tickets = Array.from({ length: Math.max(12, Math.round(rounds * share)) }, (_, n) => `ticket-${n}-`)
    const calm = tickets.slice(0, Math.ceil(tickets.length * 0.8))
    await inParallel(calm, atOnce, (ticket) => oneRound(scene, ticket))
    let isOver = false
    const killing = killer(scene, Math.max(2, Math.round(kills * share)), () => isOver)
    await inParallel(tickets.slice(calm.length), atOnce, (ticket) => oneRound(scene, ticket))
    isOver = true
    await killing
    return { tried: tickets.length, faults: scene.faults, counts: scene.counts }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    server.close()
    await database.close()
  }
}

interface Scene {
  readonly gateways: readonly [GatewayProcess, GatewayProcess]
  readonly server: CountingServer
  readonly random: SeededRandom
  /** The same person, signed in at each gateway: a browser trusts one listener. */
  readonly people: readonly [PersonAtInbox, PersonAtInbox]
  readonly faults: string[]
  readonly counts: Record<'interrupted by a kill' | 'outcome unknown' | 'kills' | 'retries', number>
  /** By performance.now(), of the latest kill. */
  killedAt: number
}

async function oneRound(scene: Scene, ticket: string): Promise<void> {
  const { random, server, faults, counts } = scene
  const call = { name: 'pay', arguments: { ticket } }
  const state = await untilState(scene, call)
  const ask = await whileUp(scene, (person) => person.find(ticket))
  const status = await whileUp(scene, (person) => accepted(person, ask.id))
  const beganAt = performance.now()
  // 409: a repeated press, after a kill or a stall. What counts is how often the tool ran.
  if (status !== 200 && status !== 409) faults.push(`${ticket}: the answer was refused with ${status}`)

  const mode = random.pick(modes)
  const times = 2 + random.int(retriesMost - 1)
  const retry = (n: number) => untilReply(scene, { ...call, requestState: state }, mode === 'two replicas' ? n % 2 : 0)
  const replies: Reply[] = []
  if (mode === 'in turn') for (let n = 0; n < times; n++) replies.push(await retry(n))
  else replies.push(...(await Promise.all(Array.from({ length: times }, (_, n) => retry(n)))))
  replies.push(await retry(1))
  counts.retries += replies.length

  const wasKilled = scene.killedAt >= beganAt
  const runs = server.runs.get(ticket) ?? 0
  const texts = new Set(replies.map(textOf))
  const unknown = [...texts].filter((text) => text.includes('is not known'))
  if (runs > 1) faults.push(`${ticket}: one approval ran the tool ${runs} times (${mode})`)
  if (wasKilled) counts['interrupted by a kill'] += 1
  if (unknown.length > 0) counts['outcome unknown'] += 1
  if (!wasKilled && runs !== 1) faults.push(`${ticket}: ran ${runs} times without a kill (${mode}): ${[...texts]}`)
  if (!wasKilled && texts.size !== 1)
    faults.push(`${ticket}: retries got different outcomes (${mode}): ${[...texts].join(' | ')}`)
  if (wasKilled && texts.size > 1)
    faults.push(`${ticket}: retries around a kill got different outcomes: ${[...texts].join(' | ')}`)
}

/** The state for a retry; the first request is repeated if a gateway is killed. */
async function untilState(scene: Scene, call: Record<string, unknown>): Promise<string> {
  const endsAt = performance.now() + givesUpAfterMs
  while (performance.now() < endsAt) {
    const reply = await send(scene.gateways[scene.random.int(2)]?.url ?? '', {
      method: 'tools/call',
      params: call,
    }).catch(() => undefined)
    const state = reply === undefined ? undefined : stateOf(reply)
    if (state !== undefined) return state
    await sleep(50)
  }
  throw new Error('No gateway gave a state within a minute.')
}

/** The final reply to a retry: after a broken connection or a new state it retries with the newest state or handle. */
async function untilReply(scene: Scene, call: Record<string, unknown>, first: number): Promise<Reply> {
  const endsAt = performance.now() + givesUpAfterMs
  let params = call
  let at = first
  while (performance.now() < endsAt) {
    const reply = await send(scene.gateways[at % 2]?.url ?? '', { method: 'tools/call', params }).catch(() => undefined)
    at += 1
    const isAway = reply === undefined || reply.status === 503
    const next = reply === undefined ? undefined : stateOf(reply)
    const handle = reply === undefined ? undefined : handleOf(reply)
    if (!isAway && next === undefined && handle === undefined) return reply
    if (next !== undefined) params = { ...params, requestState: next }
    // After several retries a caller gets a handle instead of a state.
    if (handle !== undefined) params = { name: 'assent__await_answer', arguments: { ask_id: handle } }
    await sleep(20)
  }
  return { status: 0, error: { code: 0, message: 'No reply within a minute.' } }
}

/** Throws while the inbox is unavailable. */
async function accepted(person: PersonAtInbox, id: string): Promise<number> {
  const status = await person.answer(id, { action: 'accept', content: { ok: true } })
  if (status === 503) throw new Error('The inbox is unavailable.')
  return status
}

async function whileUp<Value>({ people }: Scene, work: (person: PersonAtInbox) => Promise<Value>): Promise<Value> {
  const endsAt = performance.now() + givesUpAfterMs
  for (let n = 0; ; n++) {
    try {
      return await work(people[n % 2] as PersonAtInbox)
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await sleep(50)
    }
  }
}

/** Kills one gateway after the other, never both at once. */
async function killer(scene: Scene, times: number, isOver: () => boolean): Promise<void> {
  for (let n = 0; n < times && !isOver(); n++) {
    await sleep(200 + scene.random.int(800))
    const gateway = scene.gateways[scene.random.int(2)] as GatewayProcess
    scene.killedAt = performance.now()
    await gateway.kill()
    scene.killedAt = performance.now()
    scene.counts.kills += 1
    await gateway.restart()
    scene.killedAt = performance.now()
  }
}
