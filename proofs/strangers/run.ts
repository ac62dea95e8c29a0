// Proof: an ask is visible only to its approvers: through the inbox's API, through signing in, and through MCP.
//
// Others try to read it, to answer it, to detect it, and to become its approver. None may succeed, and no reply may reveal
// whether an ask of another person exists. At the end its own approver does all of it, because refusing everyone would
// prove nothing.
import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { callOf } from '../hostile/http.ts'
import { tryApi } from './api.ts'
import { tryLogins } from './login.ts'
import { tryMcp } from './mcp.ts'
import { trySecretPages } from './secrets.ts'
import { Tally } from './tally.ts'
import { asAgent, fromOurPage, openTestEnv, signedIn, type TestEnv } from './test-env.ts'

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const tally = new Tally()
  const testEnv = await openTestEnv()
  try {
    await tryApi(testEnv, random, quick ? 1_200 : 8_000, tally)
    await tryMcp(testEnv, random, quick ? 200 : 2_000, tally)
    await tryLogins(testEnv, random, quick ? 60 : 600, tally)
    await trySecretPages(testEnv, random, quick ? 600 : 4_000, tally)
    const changed = await countChanged(testEnv)
    for (const [what, count] of tally.kinds) console.log(`  ${String(count).padStart(6)} × ${what}`)
    const worksForAnn = await isOpenToAnn(testEnv)
    if (!worksForAnn) console.log('  the control failed: Ann could not use her own ask')
    const { tried, succeeded, reveals } = tally
    return {
      reached: succeeded + reveals + changed === 0 && worksForAnn,
      figure:
        `strangers: ${tried.toLocaleString('en-US')} attempts on other people's asks and secrets in ${tally.kinds.size} ways, ` +
        `${succeeded} succeeded, ${reveals} revealed whether it exists, ${changed} asks changed`,
    }
  } finally {
    await testEnv.close()
  }
}

/** Nothing has changed: asks are open and without votes, the last of each tenant is settled; no call of Ann's continued. */
async function countChanged({ store, tenants, servers }: TestEnv): Promise<number> {
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

/** Ann signs in, answers her agent's ask in her inbox, and her agent fetches the result. */
async function isOpenToAnn({ tenants: [acme], servers }: TestEnv): Promise<boolean> {
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
