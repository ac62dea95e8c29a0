// Attempts to be somebody else: with wrong tokens, and with good ones and other people's sessions, questions, states, asks.
//
// Each attempt is made twice in spirit: with what exists and is not the attacker's, and with what does not exist at all.
// Both must be answered in the same words, or the answer would tell which is which.
import { randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@assent/core'
import { type Answer, callOf, send } from './hostile-http.part.ts'
import type { Score } from './hostile-watch.part.ts'
import { audience, bearer, type House, type Prey, type Tenant } from './identity-house.part.ts'
import type { SeededRandom } from './random.part.ts'

export interface Scene {
  readonly random: SeededRandom
  readonly score: Score
  readonly house: House
  readonly prey: readonly Prey[]
}

/** Somebody with a good token: eve of the same tenant, or a person of another, even one with the victim's own name. */
function attacker({ random, house }: Scene, victim: Tenant): { tenant: Tenant; token: string; person: 'ann' | 'eve' } {
  const others = house.tenants.filter((one) => one !== victim)
  const tenant = random.int(2) === 0 ? victim : random.pick(others)
  const person = tenant === victim ? 'eve' : random.pick(['ann', 'eve'] as const)
  return { tenant, token: tenant.tokens[person], person }
}

/** A wrong token: nobody comes in with it, and every one of them is answered alike. */
export async function wrongToken(scene: Scene): Promise<void> {
  const { random, score, house } = scene
  const tenant = random.pick(house.tenants)
  const other = random.pick(house.tenants.filter((one) => one !== tenant))
  const all = Object.entries(tenant.issuer.bad(random.pick(['ann', 'eve']), audience, other.issuer))
  for (const [what, token] of all) {
    score.count('wrong token')
    const known = await tenant.identify({ headers: { authorization: `Bearer ${token}` }, url: '/mcp' } as never)
    if (known === undefined || !('refusal' in known)) score.mistake(`somebody came in with a token ${what}`, token)
    else if (known.refusal.status !== 401) score.mistake(`a token ${what} was not answered with 401`, known)
    else if (what !== 'expired' && known.refusal.message !== 'The token is not valid here.')
      score.mistake(`a token ${what} was told more than that it is not valid`, known)
  }
}

export async function wrongTokenOverHttp(scene: Scene): Promise<void> {
  const { random, score, house, prey } = scene
  const { tenant, session } = random.pick(prey)
  const other = random.pick(house.tenants.filter((one) => one !== tenant))
  const [what, token] = random.pick(Object.entries(tenant.issuer.bad('ann', audience, other.issuer)))
  // With a session that exists, which is no credential.
  const headers = { ...bearer(token), 'mcp-session-id': session }
  score.count('wrong token over HTTP')
  const answer = await send(tenant.gateway.url, { headers, body: ping })
  if (answer?.status !== 401) score.mistake(`a token ${what} was not answered with 401`, answer)
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const yes = { action: 'accept', content: { region: 'eu' } }

/** Another's session: to speak in, to listen to, to end, and to answer its question. */
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

/** Another's sealed state, whole, changed, or brought with other arguments. */
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
  // Half of them come from its own person, and are not what was given out.
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

/** A state that is its own person's, for a call that it was not given for. */
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
  if (answer?.status !== 400) score.mistake('a state was good for another call', answer)
}

/** Another's ask, by its id: in the store that every inbox uses, and by the tool that fetches results. */
export async function borrowedAsk(scene: Scene): Promise<void> {
  const { random, score, house, prey } = scene
  const { tenant: victim, ask } = random.pick(prey)
  const { tenant, person } = attacker(scene, victim)
  const by = { principal: tenant.principals[person], groups: [] }
  const answer = (id: string) =>
    house.store.asks.answer({ tenant: tenant.name, id, person: by, via: 'inbox', answer: { action: 'accept' } })
  score.count('borrowed ask')
  const [theirs, nobodys] = [await answer(ask), await answer(newId('ask', Date.now(), randomBytes))]
  if (theirs.kind !== 'not-found' || JSON.stringify(theirs) !== JSON.stringify(nobodys))
    score.mistake('an ask of another was answered', { theirs, nobodys })
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

/** Like the real one, but for one place. */
function nearly(random: SeededRandom, text: string): string {
  const places = [...text].flatMap((char, at) => (/[0-9a-z]/i.test(char) && at > 20 ? [at] : []))
  const at = random.pick(places)
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`
}

function compare(
  score: Score,
  what: string,
  theirs: Answer | undefined,
  nobodys: Answer | undefined,
  status: number,
): void {
  if (theirs === undefined || nobodys === undefined) score.hang(`a borrowed ${what}`, '')
  if (theirs?.status !== status) score.mistake(`a ${what} of another was let in`, theirs)
  if (theirs?.status !== nobodys?.status || theirs?.text !== nobodys?.text)
    score.mistake(`it can be told that a ${what} exists`, theirs, nobodys)
}
