// Proof: an ask exists for its approvers and for nobody else: through the inbox's API, through signing in, and through MCP.
//
// Others try to read it, to answer it, to hear of it, and to become the person whose it is. None may succeed, and no reply may
// tell an ask of another from one that does not exist. At the end its own person does all of it, because a door that is
// closed to everyone would prove nothing.
import type { Measurement } from '../scripts/measurement.ts'
import { callOf } from './hostile-http.part.ts'
import { seededRandom } from './random.part.ts'
import { tryApi } from './strangers-api.part.ts'
import { aHouse, asAgent, fromOurPage, type House, signedIn } from './strangers-house.part.ts'
import { tryLogins } from './strangers-login.part.ts'
import { tryMcp } from './strangers-mcp.part.ts'
import { trySecretPages } from './strangers-secrets.part.ts'
import { Tally } from './strangers-tally.part.ts'

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const tally = new Tally()
  const house = await aHouse()
  try {
    await tryApi(house, random, quick ? 1_200 : 8_000, tally)
    await tryMcp(house, random, quick ? 200 : 2_000, tally)
    await tryLogins(house, random, quick ? 60 : 600, tally)
    await trySecretPages(house.store, random, quick ? 300 : 3_000, tally)
    const changed = await countChanged(house)
    for (const [what, count] of tally.kinds) console.log(`  ${String(count).padStart(6)} × ${what}`)
    const rightful = await isOpenToAnn(house)
    if (!rightful) console.log('  its own person could not do it either')
    const { tried, succeeded, told } = tally
    return {
      reached: succeeded + told + changed === 0 && rightful,
      figure:
        `strangers: ${tried.toLocaleString('en-US')} attempts on other people's asks in ${tally.kinds.size} ways, ` +
        `${succeeded} succeeded, ${told} told whether the ask exists, ${changed} asks changed`,
    }
  } finally {
    await house.close()
  }
}

/** All are as they were: open and without votes, the last of each tenant settled; and no call of Ann's went on. */
async function countChanged({ store, tenants, servers }: House): Promise<number> {
  let changed = 0
  for (const { name, asks, handles } of tenants) {
    for (const [at, id] of asks.entries()) {
      const ask = await store.asks.read(name, id)
      const kind = at === asks.length - 1 ? 'settled' : 'open'
      if (ask?.state.kind !== kind || ask.votes.length > 0) changed++
    }
    for (const ticket of handles.values()) if (servers.ran.has(ticket) || servers.yes.has(ticket)) changed++
  }
  return changed + (servers.ran.has('prey') ? 1 : 0)
}

/** Ann signs in, answers in her inbox what her agent asked, and her agent fetches what came of it. */
async function isOpenToAnn({ tenants: [acme], servers }: House): Promise<boolean> {
  const ann = await signedIn(acme, 'ann')
  for (const [id, ticket] of acme.handles) {
    const answer = { action: 'accept', content: { region: 'eu' } }
    const answered = await ann.request(`${acme.base}/api/asks/${id}/answer`, {
      method: 'POST',
      headers: fromOurPage(acme.base),
      body: JSON.stringify({ decisionId: `decision-of-ann-${ticket}`, answer }),
    })
    const call = callOf('assent__await_answer', '', { arguments: { ask_id: id } })
    const fetched = await asAgent(acme.gateway.url, acme.tokens.ann ?? '', call)
    const isDone = fetched?.text.includes('"done"') === true && servers.ran.get(ticket) === 1
    if (answered.status !== 200 || !isDone || !servers.yes.has(ticket)) return false
  }
  return true
}
