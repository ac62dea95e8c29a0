// Proof: nobody gets in with a wrong token, nobody gets at what is another's with a good one, and the refusal does not tell
// whether there was something to get at.
//
// Three tenants share a store and a key ring. At the end the rightful people use what everybody tried to take, because a
// gateway that refuses all would pass otherwise.
import type { Measurement } from '../scripts/measurement.ts'
import { callOf, send } from './hostile-http.part.ts'
import { Score } from './hostile-watch.part.ts'
import {
  borrowedAsk,
  borrowedSession,
  borrowedState,
  fetchedAsk,
  movedState,
  type Scene,
  wrongToken,
  wrongTokenOverHttp,
} from './identity-attacks.part.ts'
import { aHouse, bearer, type House, type Prey, prepare } from './identity-house.part.ts'
import { seededRandom } from './random.part.ts'

const together = 8

export const run: Measurement = async ({ quick, seed }) => {
  const share = quick ? 1 / 40 : 1
  const score = new Score()
  const house = await aHouse()
  try {
    const prey: Prey[] = []
    for (const tenant of house.tenants) prey.push(await prepare(house, tenant))
    const scene: Scene = { random: seededRandom(seed), score, house, prey }
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
    judgeServers(score, house, prey)
    for (const one of prey) await rightful(score, house, one)
  } finally {
    await house.close()
  }
  for (const [kind, count] of score.kinds) console.log(`identity: ${count.toLocaleString('en')} × ${kind}`)
  const { tried, crashes, hangs, wrong } = score
  return {
    reached: crashes + hangs + wrong === 0,
    figure: `identity: ${tried.toLocaleString('en')} attempts across 3 tenants, ${wrong} succeeded or told too much, ${hangs} without an answer`,
  }
}

/** The servers behind heard nothing of all this: no call, no yes, nobody's token. */
function judgeServers(score: Score, { servers }: House, prey: readonly Prey[]): void {
  const tickets = prey.flatMap(({ states }) => states.map(({ ticket }) => ticket))
  for (const ticket of tickets) {
    if (servers.ran.has(ticket) || servers.yes.has(ticket)) score.mistake('a call of another went on', ticket)
  }
  for (const ticket of servers.ran.keys())
    if (ticket.startsWith('moved')) score.mistake('a moved state ran a tool', ticket)
  for (const leak of servers.leaks) score.mistake('a token reached a server', leak)
}

async function rightful(
  score: Score,
  { store, servers }: House,
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
    // A held call ran once, however often its answer is sent.
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
