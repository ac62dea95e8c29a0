// Proof: an invalid token is always refused, a valid token gives no access to other people's resources, and the refusal does
// not reveal whether a resource exists.
//
// Three tenants share a store and a key ring. At the end the owners use their resources, because otherwise a gateway that
// refuses everything would pass.
import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { callOf, send } from '../hostile/http.ts'
import { Score } from '../hostile/watch.ts'
import {
  borrowedAsk,
  borrowedSession,
  borrowedState,
  fetchedAsk,
  movedState,
  type Scene,
  wrongToken,
  wrongTokenOverHttp,
} from './attacks.ts'
import { bearer, openTestEnv, type Prey, prepare, type TestEnv } from './test-env.ts'

const together = 8

export const run: Measurement = async ({ quick, seed }) => {
  const share = quick ? 1 / 40 : 1
  const score = new Score()
  const testEnv = await openTestEnv()
  try {
    const prey: Prey[] = []
    for (const tenant of testEnv.tenants) prey.push(await prepare(testEnv, tenant))
    const scene: Scene = { random: seededRandom(seed), score, testEnv, prey }
    const times = async (count: number, one: (scene: Scene) => Promise<void>) => {
      for (let left = Math.ceil(count * share); left > 0; left -= together)
        await Promise.all(Array.from({ length: together }, () => one(scene)))
    }
    await times(3_000, wrongToken)
    await times(6_000, wrongTokenOverHttp)
    await times(18_000, borrowedSession)
    await times(18_000, borrowedState)
    await times(6_000, movedState)
    await times(10_000, borrowedAsk)
    await times(3_000, fetchedAsk)
    judgeServers(score, testEnv, prey)
    for (const one of prey) await useOwnResources(score, testEnv, one)
  } finally {
    await testEnv.close()
  }
  for (const [kind, count] of score.kinds) console.log(`identity: ${count.toLocaleString('en')} × ${kind}`)
  const { tried, crashes, hangs, wrong } = score
  return {
    reached: crashes + hangs + wrong === 0,
    figure: `identity: ${tried.toLocaleString('en')} attempts across 3 tenants, ${wrong} succeeded or revealed too much, ${hangs} without an answer`,
  }
}

/** Nothing reached the servers: no call, no yes, no token. */
function judgeServers(score: Score, { servers }: TestEnv, prey: readonly Prey[]): void {
  const tickets = prey.flatMap(({ states }) => states.map(({ ticket }) => ticket))
  for (const ticket of tickets) {
    if (servers.ran.has(ticket) || servers.yes.has(ticket)) score.mistake('a call of another person continued', ticket)
  }
  for (const ticket of servers.ran.keys())
    if (ticket.startsWith('moved')) score.mistake('a moved state ran a tool', ticket)
  for (const leak of servers.leaks) score.mistake('a token reached a server', leak)
}

async function useOwnResources(
  score: Score,
  { store, servers }: TestEnv,
  { tenant, session, states, ask }: Prey,
): Promise<void> {
  const { url } = tenant.gateway
  const headers = bearer(tenant.tokens.ann)
  const pinged = await send(url, {
    headers: { ...headers, 'mcp-session-id': session },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  })
  if (pinged?.status !== 200) score.mistake('a person lost their own session', pinged)
  for (const { name, ticket, state } of states) {
    const yes = { action: 'accept', content: { region: 'eu' } }
    const call = callOf(name, ticket, { requestState: state, inputResponses: { question: yes, ask_1: yes } })
    const done = await send(url, { ...call, headers: { ...call.headers, ...headers } })
    const again = await send(url, { ...call, headers: { ...call.headers, ...headers } })
    if (done?.status !== 200 || servers.yes.get(ticket) === undefined)
      score.mistake(`a person could not use their own state of ${name}`, done)
    // A held call runs once, however often its answer is sent.
    if (name === 'old__ask' && (servers.ran.get(ticket) !== 1 || again?.text !== done?.text))
      score.mistake('a used state ran a call again', again)
  }
  const person = { principal: tenant.principals.ann, groups: [] }
  const answered = await store.asks.answer({
    tenant: tenant.name,
    id: ask,
    person,
    via: 'inbox',
    answer: { action: 'accept' },
  })
  if (answered.kind !== 'settled') score.mistake('a person could not answer their own ask', answered)
}
