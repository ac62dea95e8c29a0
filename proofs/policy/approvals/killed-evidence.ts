// Judges the runs at killed replicas from the tables of the database and from what the server ran; and checks the judge
// with false evidence.

import type { TestSchema } from '../../../test-kit/postgres.ts'
import type { ToolCall } from './caller.ts'
import { isMetBy, type Member, type PlainRule } from './rules.ts'

interface VoteRow {
  readonly ask_id: string
  readonly voter: string
  readonly action: string
}

interface SettledRow {
  readonly id: string
  readonly tool: string
  readonly decided_by: string
  readonly action: string
  readonly is_used: boolean
}

interface StoredRows {
  readonly settled: readonly SettledRow[]
  readonly votes: readonly VoteRow[]
}

export interface KilledEvidence extends StoredRows {
  readonly calls: readonly ToolCall[]
  readonly members: ReadonlyMap<string, Member>
  /** Undefined for a call that needs no approval. */
  readonly rule: (call: ToolCall) => PlainRule | undefined
  /** The arguments of the calls that ran, by tool. */
  readonly runs: ReadonlyMap<string, readonly string[]>
}

export async function storedIn({ query }: TestSchema): Promise<StoredRows> {
  const settled = await query<SettledRow & Record<string, unknown>>(
    `select a.id, a.tool, a.decided_by, a.answer::json ->> 'action' as action, g.used_at is not null as is_used
     from asks a left join grants g on g.tenant = a.tenant and g.ask_id = a.id where a.state = 'settled'`,
  )
  const votes = await query<VoteRow & Record<string, unknown>>(
    "select ask_id, voter, answer::json ->> 'action' as action from votes",
  )
  return { settled, votes }
}

export function wrongRuns(evidence: KilledEvidence): string[] {
  return evidence.calls.flatMap((call) => {
    const runs = evidence.runs.get(call.tool) ?? []
    const given = JSON.stringify(call.arguments)
    const changed = runs.filter((text) => text !== given).map(() => `${call.tool} ran with other arguments`)
    const needed = evidence.rule(call)
    const approved = evidence.settled.filter(({ tool, action }) => tool === call.tool && action === 'accept')
    const most = needed === undefined ? 1 : approved.filter(({ is_used }) => is_used).length
    const often = runs.length > most ? [`${call.tool} ran ${runs.length} times, allowed were ${most}`] : []
    const unmet = needed === undefined ? [] : approved.flatMap((ask) => unmetBy(evidence, ask, needed))
    return [...changed, ...often, ...unmet]
  })
}

function unmetBy({ votes, members }: KilledEvidence, { id, tool, decided_by }: SettledRow, rule: PlainRule): string[] {
  const accepted = votes.filter(({ ask_id, action }) => ask_id === id && action === 'accept')
  const names = accepted.length > 0 ? accepted.map(({ voter }) => voter) : [decided_by]
  const people = names.map((name) => members.get(name) ?? { name, groups: [] })
  return isMetBy(rule.requirements, people) ? [] : [`${tool} was approved by ${names}: ${JSON.stringify(rule)}`]
}

/** The names of the pieces of false evidence that the judge does not find. */
export function missedEvidence(evidence: KilledEvidence): string[] {
  const ran = evidence.calls.find((call) => evidence.runs.has(call.tool) && evidence.rule(call) !== undefined)
  if (ran === undefined) return ['a call that ran with approval']
  const [first = ''] = evidence.runs.get(ran.tool) ?? []
  const withRuns = (runs: readonly string[]) => ({ ...evidence, runs: new Map([...evidence.runs, [ran.tool, runs]]) })
  const ofRun = ({ tool }: SettledRow) => tool === ran.tool
  const [ask] = evidence.settled.filter(ofRun)
  const planted: readonly (readonly [string, KilledEvidence])[] = [
    ['a call runs twice', withRuns([first, first])],
    ['a call runs with other arguments', withRuns([`${first} `])],
    ['the approval of a run is not stored', { ...evidence, settled: evidence.settled.filter((one) => !ofRun(one)) }],
    [
      'the approval of a run was not used',
      { ...evidence, settled: evidence.settled.map((one) => (ofRun(one) ? { ...one, is_used: false } : one)) },
    ],
    [
      'somebody else approved',
      {
        ...evidence,
        settled: evidence.settled.map((one) => (ofRun(one) ? { ...one, decided_by: 'mallory' } : one)),
        votes: evidence.votes.map((vote) => (vote.ask_id === ask?.id ? { ...vote, voter: 'mallory' } : vote)),
      },
    ],
  ]
  return planted.filter(([, changed]) => wrongRuns(changed).length === 0).map(([name]) => name)
}

/** How many pieces of false evidence there are. */
export const falseEvidence = 5
