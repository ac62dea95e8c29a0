// Calls that need approval at two replicas on PostgreSQL, which are killed while people vote and calls run.
//
// What ran is judged from the tables of the database, by the second checker: not from what the replicas report.

import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import { openPostgres, type Store } from '../../../packages/store/src/index.ts'
import { newSchema } from '../../../test-kit/postgres.ts'
import { type SeededRandom, seededRandom } from '../../../test-kit/random.ts'
import { type Reply, send, type ToolCall } from './caller.ts'
import { groups as allGroups, generateArguments, generatePolicies, people } from './generate.ts'
import { missedEvidence, storedIn, wrongRuns } from './killed-evidence.ts'
import { Replicas } from './replicas.ts'
import { expectationOf, isMetBy, type Member, type PlainPolicies, type PlainRule } from './rules.ts'
import { type CountingServer, startServer } from './server.ts'

export interface KilledTally {
  readonly runs: number
  readonly kills: number
  /** Calls that ran at the server. */
  readonly ran: number
  readonly failures: readonly string[]
  /** The pieces of false evidence that the judge did not find. */
  readonly missed: readonly string[]
}

const tenant = 'default'
const together = 6
/** One kill for this many calls; the next one when both replicas serve again, after up to this time. */
const callsPerKill = 8
const killWithinMs = 1_500
/** Soon, because few calls take less than a second. */
const firstKillWithinMs = 300
const giveUpMs = 30_000
const longMs = 24 * 60 * 60_000

interface KilledEnv {
  readonly store: Store
  readonly server: CountingServer
  readonly replicas: Replicas
  readonly random: SeededRandom
  /** The groups of each person, and the token of their session. */
  readonly members: ReadonlyMap<string, Member & { readonly token: string }>
  readonly rule: (call: ToolCall) => PlainRule | undefined
}

export async function killedRuns(seed: number, count: number): Promise<KilledTally> {
  const random = seededRandom(seed)
  const members = people.map((name) => ({ name, groups: allGroups.filter(() => random.next() < 0.8) }))
  const policies = usablePolicies(random, members)
  const schema = await newSchema()
  const server = await startServer()
  const replicas = new Replicas({ url: schema.url, schema: schema.schema, server: server.url, policies })
  try {
    // The first to open the store creates the schema.
    const keys = createKeyRing([{ id: 'proof', secret: replicas.secret }])
    const store = await openPostgres(schema.url, { keys, schema: schema.schema, connections: 4 })
    await replicas.open(2)
    const rule = (call: ToolCall) => {
      const expected = expectationOf(policies, call.arguments.env, call.person)
      return expected.effect === 'ask' ? expected.rule : undefined
    }
    const env = { store, server, replicas, random, members: await signedIn(store, members), rule }
    const calls: ToolCall[] = []
    const work = async () => {
      while (calls.length < count) {
        const call = { person: random.pick(people), tool: `t${calls.length}`, arguments: generateArguments(random) }
        calls.push(call)
        await oneCall(env, call)
      }
    }
    let isDone = false
    const killing = killNowAndThen(replicas, random, Math.ceil(count / callsPerKill), () => isDone)
    await Promise.all(Array.from({ length: together }, work))
    isDone = true
    await killing
    await store.close()
    const evidence = { calls, members: env.members, rule, runs: server.runs, ...(await storedIn(schema)) }
    const ran = calls.filter(({ tool }) => server.runs.has(tool)).length
    const failures = wrongRuns(evidence)
    return { runs: calls.length, kills: replicas.kills, ran, failures, missed: missedEvidence(evidence) }
  } finally {
    await replicas.close()
    await server.close()
    await schema.drop()
  }
}

async function killNowAndThen(
  replicas: Replicas,
  random: SeededRandom,
  most: number,
  isDone: () => boolean,
): Promise<void> {
  while (!isDone() && replicas.kills < most) {
    const withinMs = replicas.kills === 0 ? firstKillWithinMs : killWithinMs
    await new Promise((resolve) => setTimeout(resolve, random.int(withinMs)))
    if (replicas.urls.length === 2 && !isDone()) replicas.kill(random)
    // Now and then the other one dies too, before the first is back.
    if (random.next() < 0.1 && !isDone()) replicas.kill(random)
  }
}

/** Policies that these people can meet for everybody's calls, without a reason, so that many calls run. */
function usablePolicies(random: SeededRandom, members: readonly Member[]): PlainPolicies {
  for (;;) {
    const policies = generatePolicies(random)
    const asks = policies.asks.map((ask) => ({ ...ask, needsReason: false, withinMs: longMs, useWithinMs: longMs }))
    const usable = { ...policies, asks, deniesStaging: false }
    const isUsable = people.every((person) => {
      const expected = expectationOf(usable, 'production', person)
      return expected.effect === 'ask' && isMetBy(expected.rule.requirements, members)
    })
    if (isUsable) return usable
  }
}

async function signedIn(store: Store, all: readonly Member[]) {
  const members = new Map<string, Member & { readonly token: string }>()
  for (const { name, groups } of all) {
    const token = randomBytes(32).toString('base64url')
    const person = { principal: name, groups }
    await store.signIns.begin({ tenant, token, login: token, person, keepMs: longMs, atMost: 1_000, atMostOfOne: 100 })
    members.set(name, { name, groups, token })
  }
  return members
}

async function oneCall(env: KilledEnv, call: ToolCall): Promise<void> {
  const { random, server, replicas } = env
  server.define({ name: call.tool, inputSchema: { type: 'object' } })
  const endsAt = performance.now() + giveUpMs
  const voting = votes(env, call, endsAt)
  let state: string | undefined
  while (performance.now() < endsAt) {
    const { urls } = replicas
    const reply = urls.length === 0 ? undefined : await sent(random.pick(urls), call, state)
    if (reply?.kind === 'waits') state = reply.state
    else if (reply !== undefined) break
    else await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await voting
}

/** Undefined if the replica could not be reached, or died. */
async function sent(url: string, call: ToolCall, requestState: string | undefined): Promise<Reply | undefined> {
  const reply = await send(url, call, requestState === undefined ? {} : { requestState }).catch(() => undefined)
  // While a replica starts, or has lost its database, a request fails before anything ran.
  return reply?.kind === 'refused' && reply.text === 'undefined' ? undefined : reply
}

/** Everybody votes, some twice, until the ask has ended. */
async function votes(env: KilledEnv, call: ToolCall, endsAt: number): Promise<void> {
  const { store, random, replicas, members, rule } = env
  if (rule(call) === undefined) return
  const person = { principal: call.person, groups: [] }
  let id: string | undefined
  while (id === undefined && performance.now() < endsAt) {
    const { asks } = await store.inbox.page({ tenant, person, show: 'open', pageSize: 100 })
    id = asks.find(({ asker }) => asker.tool === call.tool)?.id
    if (id === undefined && (await isOver(store, call))) return
    if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 30))
  }
  if (id === undefined) return
  const voters = [...people, ...people.slice(0, 2)].sort(() => random.next() - 0.5)
  const ask = id
  const cast = async (name: string) => {
    const { token = '' } = members.get(name) ?? {}
    const action = random.next() < 0.98 ? 'accept' : 'decline'
    const vote = { ask, token, decisionId: randomBytes(16).toString('hex'), answer: { action } }
    while (performance.now() < endsAt && (await replicas.vote(random, vote)) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // In pairs, so that two replicas count at the same moment.
  for (let at = 0; at < voters.length; at += 2) await Promise.all(voters.slice(at, at + 2).map(cast))
}

/** Whether the call ended without an open ask. */
async function isOver(store: Store, call: ToolCall): Promise<boolean> {
  const person = { principal: call.person, groups: [] }
  const { asks } = await store.inbox.page({ tenant, person, show: 'ended', pageSize: 100 })
  return asks.some(({ asker }) => asker.tool === call.tool)
}
