// A month of settled asks, for pictures of history and statistics. Generated from a seed, so that pictures stay the same.

import { type AskDraft, approved } from '@assent/core'
import { openSqlite } from '@assent/store'
import { inboxServerKeys, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aGate, anAsk } from '../../test-kit/gateway/sample-asks.ts'

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
      const content = wants === 'accept' ? { content: draft.asker.server === 'deploy' ? approved : { yes: true } } : {}
      const comment = wants === 'decline' ? { comment: 'Not before the freeze ends.' } : {}
      await store.asks.answer({ tenant, id, person, via: 'inbox', answer: { action: wants, ...content, ...comment } })
    }
    clock = began
  }
  await store.close()
}

function draftOf(kind: number, tool: number): AskDraft {
  const decideWithinMs = 20 * 60_000
  const caller = { client: 'Claude Code' }
  if (kind < 0.4) return aGate({ decideWithinMs, caller })
  const isStudio = tool < 0.5
  const asker = isStudio ? { server: 'studio', tool: 'compose' } : { server: 'github', tool: 'merge' }
  const title = isStudio ? 'Make it a loop?' : 'Merge into main?'
  const call = { tool: asker.tool, arguments: isStudio ? { bars: 16 } : { pull_request: 41 } }
  const form = { fields: [{ kind: 'boolean', name: 'yes', title, required: true }] } as const
  return anAsk({ kind: 'form', message: title, form, call }, { asker, caller, decideWithinMs })
}
