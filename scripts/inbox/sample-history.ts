// A month of settled asks, for pictures of history and statistics. Generated from a seed, so that pictures stay the same.

import type { AskDraft } from '@assent/core'
import { openSqlite } from '@assent/store'
import { inboxServerKeys, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, forms } from '../../test-kit/gateway/sample-asks.ts'

const dayMs = 24 * 60 * 60_000
const asked = 120

/** Writes asks of the last month to this database file, with a simulated clock. */
export async function writeSampleHistory(path: string, nowMs: number): Promise<void> {
  let clock = nowMs - 29 * dayMs
  const store = await openSqlite(path, { keys: inboxServerKeys, clock: () => clock })
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let count = 0; count < asked; count++) {
    clock += Math.floor((28 * dayMs) / asked)
    const draft = draftOf(random(), random())
    const { id } = await store.asks.raise(draft)
    const began = clock
    const person = { principal: 'ann', groups: [] }
    const fate = random()
    clock += Math.floor(2_000 * Math.exp(random() * 6))
    if (fate < 0.08) await store.asks.withdraw(tenant, id, 'caller-gone')
    else if (fate < 0.16) {
      clock = began + draft.decideWithinMs
      await store.sweep()
    } else {
      const wants = fate < 0.3 ? 'decline' : fate < 0.36 ? 'cancel' : 'accept'
      const content = draft.question.kind === 'form' && wants === 'accept' ? { content: { loop: true } } : {}
      const comment = wants === 'decline' ? { comment: 'Not before the freeze ends.' } : {}
      await store.asks.answer({ tenant, id, person, via: 'inbox', answer: { action: wants, ...content, ...comment } })
    }
    clock = began
  }
  await store.close()
}

function draftOf(kind: number, tool: number): AskDraft {
  const decideWithinMs = 20 * 60_000
  if (kind < 0.4) return aDeployment({ decideWithinMs })
  const asker = tool < 0.5 ? { server: 'studio', tool: 'compose' } : { server: 'github', tool: 'merge' }
  const [loop] = forms.choices?.fields ?? []
  return aForm(tool < 0.5 ? 'Make it a loop?' : 'Merge into main?', loop === undefined ? [] : [loop], {
    asker,
    decideWithinMs,
  })
}
