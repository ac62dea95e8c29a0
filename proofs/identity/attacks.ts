// Attempts to act as another person: with invalid tokens, or with valid ones and other people's sessions, questions,
// states and asks.
//
// Each attempt is made with a resource of another person and with one that does not exist. Both must get the same reply,
// otherwise the reply would reveal which resources exist.
import { randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { type Answer, callOf, send } from '../hostile/http.ts'
import type { Score } from '../hostile/watch.ts'
import { audience, bearer, type Prey, type Tenant, type TestEnv } from './test-env.ts'

export interface Scene {
  readonly random: SeededRandom
  readonly score: Score
  readonly testEnv: TestEnv
  readonly prey: readonly Prey[]
}

/** A person with a valid token: eve of the same tenant, or a person of another tenant, even with the victim's name. */
function attacker(
  { random, testEnv }: Scene,
  victim: Tenant,
): { tenant: Tenant; token: string; person: 'ann' | 'eve' } {
  const others = testEnv.tenants.filter((one) => one !== victim)
  const tenant = random.int(2) === 0 ? victim : random.pick(others)
  const person = tenant === victim ? 'eve' : random.pick(['ann', 'eve'] as const)
  return { tenant, token: tenant.tokens[person], person }
}

/** An invalid token: it is refused, and all of them get the same reply. */
export async function wrongToken(scene: Scene): Promise<void> {
  const { random, score, testEnv } = scene
  const tenant = random.pick(testEnv.tenants)
  const other = random.pick(testEnv.tenants.filter((one) => one !== tenant))
  const all = Object.entries(tenant.issuer.bad(random.pick(['ann', 'eve']), audience, other.issuer))
  for (const [what, token] of all) {
    score.count('wrong token')
    const known = await tenant.identify({ headers: { authorization: `Bearer ${token}` }, url: '/mcp' } as never)
    if (known === undefined || !('refusal' in known)) score.mistake(`accepted a token ${what}`, token)
    else if (known.refusal.status !== 401) score.mistake(`a token ${what} was not answered with 401`, known)
    else if (what !== 'expired' && known.refusal.message !== 'The token is not valid here.')
      score.mistake(`a token ${what} got more details than that it is not valid`, known)
  }
}

export async function wrongTokenOverHttp(scene: Scene): Promise<void> {
  const { random, score, testEnv, prey } = scene
  const { tenant, session } = random.pick(prey)
  const other = random.pick(testEnv.tenants.filter((one) => one !== tenant))
  const [what, token] = random.pick(Object.entries(tenant.issuer.bad('ann', audience, other.issuer)))
  // With an existing session, which is no credential.
  const headers = { ...bearer(token), 'mcp-session-id': session }
  score.count('wrong token over HTTP')
  const answer = await send(tenant.gateway.url, { headers, body: ping })
  if (answer?.status !== 401) score.mistake(`a token ${what} was not answered with 401`, answer)
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const yes = { action: 'accept', content: { region: 'eu' } }

/** Another person's session: sends messages in it, listens to it, ends it, answers its question. */
export async function borrowedSession(scene: Scene): Promise<void> {
  const { random, score, prey } = scene
  const { tenant: victim, session } = random.pick(prey)
  const { tenant, token } = attacker(scene, victim)
  const method = random.pick(['POST', 'GET', 'DELETE'])
  const body =
    method === 'POST' ? random.pick([ping, JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), result: yes })]) : ''
  const attempt = (id: string) =>
    send(tenant.gateway.url, {
      method,
      headers: { ...bearer(token), 'mcp-session-id': id, accept: 'text/event-stream' },
      body,
    })
  score.count('borrowed session')
  compare(score, 'session', await attempt(session), await attempt(nearly(random, session)), 404)
}

/** Another person's sealed state, unchanged, modified, or with other arguments. */
export async function borrowedState(scene: Scene): Promise<void> {
  const { random, score, prey } = scene
  const { tenant: victim, states } = random.pick(prey)
  const { tenant, token } = attacker(scene, victim)
  const { name, ticket, state } = random.pick(states)
  const attempt = (requestState: string, by: string, gateway = tenant.gateway) => {
    const call = callOf(name, ticket, { requestState, inputResponses: { question: yes, ask_1: yes } })
    return send(gateway.url, { ...call, headers: { ...call.headers, ...bearer(by) } })
  }
  score.count('borrowed state')
  // Half of the modified states are sent by their own person.
  const isOwn = random.int(2) === 0
  const answer = isOwn ? attempt(nearly(random, state), victim.tokens.ann, victim.gateway) : attempt(state, token)
  compare(
    score,
    'state',
    await answer,
    await attempt(`assent1.shared.${randomBytes(200).toString('base64url')}`, token),
    400,
  )
}

/** A person's own state, used for another call. */
export async function movedState(scene: Scene): Promise<void> {
  const { random, score, prey } = scene
  const { tenant, states } = random.pick(prey)
  const { name, state } = random.pick(states)
  const call = callOf(name, `moved${random.int(1_000_000)}`, {
    requestState: state,
    inputResponses: { question: yes, ask_1: yes },
  })
  score.count('moved state')
  const answer = await send(tenant.gateway.url, { ...call, headers: { ...call.headers, ...bearer(tenant.tokens.ann) } })
  if (answer?.status !== 400) score.mistake('a state was accepted for another call', answer)
}

/** Another person's ask, by its id: in the store that every inbox uses, and with the tool that fetches results. */
export async function borrowedAsk(scene: Scene): Promise<void> {
  const { random, score, testEnv, prey } = scene
  const { tenant: victim, ask } = random.pick(prey)
  const { tenant, person } = attacker(scene, victim)
  const by = { principal: tenant.principals[person], groups: [] }
  const answer = (id: string) =>
    testEnv.store.asks.answer({ tenant: tenant.name, id, person: by, via: 'inbox', answer: { action: 'accept' } })
  score.count('borrowed ask')
  const [theirs, absent] = [await answer(ask), await answer(newId('ask', Date.now(), randomBytes))]
  if (theirs.kind !== 'not-found' || JSON.stringify(theirs) !== JSON.stringify(absent))
    score.mistake('an ask of another person was answered', { theirs, absent })
}

export async function fetchedAsk(scene: Scene): Promise<void> {
  const { random, score, prey } = scene
  const { tenant: victim, ask } = random.pick(prey)
  const { tenant, token } = attacker(scene, victim)
  const attempt = (id: string) => {
    const call = callOf('assent__await_answer', '', { arguments: { ask_id: id } })
    return send(tenant.gateway.url, { ...call, headers: { ...call.headers, ...bearer(token) } })
  }
  score.count('borrowed ask over HTTP')
  compare(score, 'ask', await attempt(ask), await attempt(newId('ask', Date.now(), randomBytes)), 200)
}

/** The real value with one character changed. */
function nearly(random: SeededRandom, text: string): string {
  const places = [...text].flatMap((char, at) => (/[0-9a-z]/i.test(char) && at > 20 ? [at] : []))
  const at = random.pick(places)
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`
}

function compare(
  score: Score,
  what: string,
  theirs: Answer | undefined,
  absent: Answer | undefined,
  status: number,
): void {
  if (theirs === undefined || absent === undefined) score.hang(`a borrowed ${what}`, '')
  if (theirs?.status !== status) score.mistake(`a ${what} of another person could be used`, theirs)
  if (theirs?.status !== absent?.status || theirs?.text !== absent?.text)
    score.mistake(`the reply reveals that a ${what} exists`, theirs, absent)
}
