// The judge of gates that had to fail closed: what the supervisor saw held against what the database kept, as for a fleet,
// and what is behind a gate of the sdk held against its grants.

import type { House } from './closed-house.part.ts'
import type { Kept } from './fleet-evidence.part.ts'
import { type Fault, judge } from './fleet-judge.part.ts'
import { atRest, keptIn } from './fleet-life.part.ts'

/** What makes a gate one that failed open; other faults are wrong too, and told apart. */
const open: readonly string[] = [
  'no effect without a kept, matching yes',
  'at most one run per yes',
  'only the entitled decide',
  'callers hear the truth',
]

export interface Judged {
  readonly failOpen: readonly Fault[]
  readonly others: readonly Fault[]
}

interface GrantRow {
  readonly question: string
  readonly state: string
  readonly usedAtMs: number | null
  readonly expiresAtMs: number
}

export async function judged(house: House): Promise<Judged> {
  await atRest(house.database, house.schema)
  const kept = normalised(await keptIn(house.database, house.schema))
  const faults = [...judge(house.evidence, kept), ...(await judgeGrants(house))]
  return {
    failOpen: faults.filter(({ invariant }) => open.includes(invariant)),
    others: faults.filter(({ invariant }) => !open.includes(invariant)),
  }
}

/** A server written with the sdk asks in words of its own, around those that all servers here use. */
function normalised(kept: Kept): Kept {
  const message = (text: string | null) => /Run t\S+\?/.exec(text ?? '')?.[0] ?? ''
  return { ...kept, asks: kept.asks.map((ask) => ({ ...ask, message: message(ask.message) })) }
}

async function judgeGrants(house: House): Promise<Fault[]> {
  const { evidence } = house
  const grants = await house.rows<GrantRow>(
    `select a.question, a.state, g.used_at::float8 as "usedAtMs", g.expires_at::float8 as "expiresAtMs"
     from asks a join grants g on g.tenant = a.tenant and g.ask_id = a.id where a.kind = 'approval'`,
  )
  return evidence.effects.flatMap(({ ticket, atMs }) => {
    if (evidence.calls.get(ticket)?.server !== 'sdk') return []
    const used = grants.filter(({ question, usedAtMs }) => question.includes(`Run ${ticket}?`) && usedAtMs !== null)
    // Used right before the work, by the database's clock, which is this machine's.
    const isGood = used.some(
      ({ usedAtMs, expiresAtMs }) => (usedAtMs ?? 0) < expiresAtMs && (usedAtMs ?? 0) <= atMs + 5,
    )
    if (used.length === 1 && isGood) return []
    return [
      { invariant: 'no effect without a kept, matching yes', what: `${ticket} ran with ${used.length} grants used` },
    ]
  })
}
