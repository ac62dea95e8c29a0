// Checks that gates failed closed: compares what the supervisor saw with what the database stored, as for a cluster, and
// the effects behind a gate of the SDK with its grants.

import type { StoredState } from '../cluster/evidence.ts'
import { type Fault, judge } from '../cluster/judge.ts'
import { atRest, readStoredState } from '../cluster/run-cluster.ts'
import { cells, nameOf } from './cells.ts'
import type { TestEnv } from './test-env.ts'

/** Faults that mean a gate failed open; other faults are reported separately. */
const open: readonly string[] = [
  'no effect without a stored, matching approval',
  'at most one run per approval',
  'only approvers decide',
  'callers get the true outcome',
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

export async function judged(testEnv: TestEnv): Promise<Judged> {
  await atRest(testEnv.database, testEnv.schema)
  const kept = withoutNoise(normalised(await readStoredState(testEnv.database, testEnv.schema)))
  const faults = [...judge(testEnv.evidence, kept), ...(await judgeGrants(testEnv))]
  return {
    failOpen: faults.filter(({ invariant }) => open.includes(invariant)),
    others: faults.filter(({ invariant }) => !open.includes(invariant)),
  }
}

/** A server written with the SDK puts its own text around the message that all servers here use. */
function normalised(kept: StoredState): StoredState {
  const message = (text: string | null) => /Run t\S+\?/.exec(text ?? '')?.[0] ?? ''
  return { ...kept, asks: kept.asks.map((ask) => ({ ...ask, message: message(ask.message) })) }
}

const noisy = cells.findIndex((cell) => nameOf(cell) === 'database × garbage')

/**
 * A gateway whose database replies are altered can read a row that does not match its signature. It refuses the row and
 * records that, which is not a second decision. Any other gateway that does so is at fault.
 */
function withoutNoise(kept: StoredState): StoredState {
  const altered = new Set(kept.asks.filter(({ message }) => message.startsWith(`Run t${noisy}-`)).map(({ id }) => id))
  return {
    ...kept,
    audit: kept.audit.filter(({ kind, subject }) => kind !== 'ask.unverified' || !altered.has(subject)),
  }
}

async function judgeGrants(testEnv: TestEnv): Promise<Fault[]> {
  const { evidence } = testEnv
  const grants = await testEnv.rows<GrantRow>(
    `select a.question, a.state, g.used_at::float8 as "usedAtMs", g.expires_at::float8 as "expiresAtMs"
     from asks a join grants g on g.tenant = a.tenant and g.ask_id = a.id where a.kind = 'approval'`,
  )
  return evidence.effects.flatMap(({ ticket, atMs }) => {
    if (evidence.calls.get(ticket)?.server !== 'sdk') return []
    const used = grants.filter(({ question, usedAtMs }) => question.includes(`Run ${ticket}?`) && usedAtMs !== null)
    // Used right before the effect, by the database's clock, which is the clock of this machine.
    const isGood = used.some(
      ({ usedAtMs, expiresAtMs }) => (usedAtMs ?? 0) < expiresAtMs && (usedAtMs ?? 0) <= atMs + 5,
    )
    if (used.length === 1 && isGood) return []
    return [
      {
        invariant: 'no effect without a stored, matching approval',
        what: `${ticket} ran with ${used.length} grants used`,
      },
    ]
  })
}
