// Compares what the server wrote and what the client reported with what was expected of one call.
//
// Returns the reasons for failure as text; an empty list is a pass. It does not wait: its caller has waited.

import { isDeepStrictEqual } from 'node:util'
import type { Cell } from './cells.ts'
import type { Expected } from './expect.ts'
import type { Entry } from './journal.ts'
import type { Outcome, Shown } from './messages.ts'
import { type Release, requestedSchema, rightContent, urlOf } from './question.ts'

/** Everything that is known about one call. */
export interface Evidence {
  readonly release: Release
  readonly entries: readonly Entry[]
  readonly shown: readonly Shown[]
  readonly strayed: readonly string[]
  readonly outcome: Outcome | undefined
}

export function judge(cell: Cell, expected: Expected, evidence: Evidence): string[] {
  return [
    ...judgeCounts(cell, expected, evidence.entries),
    ...evidence.strayed.map((callId) => `a question of ${callId} arrived on a connection that did not make that call`),
    ...expected.keys.flatMap((key) => judgeQuestion(key, cell, expected, evidence)),
    ...judgeOutcome(cell, expected, evidence),
  ]
}

/** Also called on its own at the end, because a second effect may happen long after the cell. */
export function judgeCounts({ topology }: Cell, { effects, runs }: Expected, entries: readonly Entry[]): string[] {
  const reasons: string[] = []
  const ran = entries.filter((entry) => entry.what === 'ran')
  const happened = entries.filter((entry) => entry.what === 'effect').length
  if (happened !== effects) reasons.push(`${happened} effects instead of ${effects}`)
  if (ran.length > runs) reasons.push(`the body ran ${ran.length} times, at most ${runs} expected`)
  if (effects > 0 && ran.length < runs) reasons.push(`the body ran ${ran.length} times instead of ${runs}`)
  const rounds = new Set(ran.map(({ round }) => round))
  if (topology.server === '2026' && rounds.size !== ran.length) reasons.push('a round ran twice')
  return reasons
}

function judgeQuestion(key: string, cell: Cell, { sees, shown: times }: Expected, evidence: Evidence): string[] {
  const { release, entries } = evidence
  const shown = evidence.shown.filter((each) => each.key === key)
  const saw = entries.filter((entry) => entry.what === 'saw').filter((entry) => entry.key === key)
  const reasons = shown.flatMap((each) => judgeShown(each, cell, release))
  if (shown.length !== times) reasons.push(`question ${key} was shown ${shown.length} times`)
  if (saw.length > 1) reasons.push(`question ${key} was answered ${saw.length} times`)

  const { action, content } = saw[0] ?? { action: 'nothing' }
  if (!sees.includes(action)) reasons.push(`the server saw ${action} for ${key}, expected ${sees.join(' or ')}`)
  const right = rightContent(release.build, key)
  if (action === 'accept' && release.mode === 'form' && !isDeepStrictEqual(content, right)) {
    reasons.push(`the server got ${JSON.stringify(content)} for ${key}, the person answered ${JSON.stringify(right)}`)
  }
  return reasons
}

function judgeShown(shown: Shown, { client, act, topology }: Cell, release: Release): string[] {
  const reasons: string[] = []
  if (shown.build !== release.build) reasons.push(`the question names build ${shown.build}, not ${release.build}`)
  if (shown.mode !== release.mode) reasons.push(`a ${release.mode} question was shown as ${shown.mode}`)
  if (release.mode === 'form' && !isDeepStrictEqual(shown.fields, Object.keys(requestedSchema.properties))) {
    reasons.push(`the form was shown with the fields ${shown.fields}`)
  }
  const labels = act === '2025-06-18' && topology.route !== 'direct' ? 'enumNames' : 'oneOf'
  if (release.mode === 'form' && shown.labels !== labels) reasons.push(`labels are ${shown.labels}, not ${labels}`)
  if (release.mode === 'form') return reasons
  if (shown.url !== urlOf(release, shown.key)) reasons.push(`the address was shown as ${shown.url}`)
  if (client === '2025' && !shown.elicitationId) reasons.push('no elicitationId was shown')
  return reasons
}

function judgeOutcome({ topology }: Cell, { gets }: Expected, { outcome, release }: Evidence): string[] {
  if (gets === 'unknown') return []
  if (outcome === undefined) return ['the call never ended']
  const said = outcome.kind === 'result' ? outcome.text : `error ${outcome.code} ${outcome.message}`
  if (gets !== 'either' && outcome.kind !== gets)
    return [`the client got ${outcome.kind === 'error' ? said : `the result ${said}`}`]
  // Without a gateway the client's SDK reports in its own format that the server is gone.
  const wellFormed = topology.route === 'direct' || (outcome.kind === 'error' && /^-\d+$/.test(outcome.code))
  if (outcome.kind === 'error') return wellFormed ? [] : [`not a JSON-RPC error: ${said}`]
  return said.startsWith(`{"callId":"${release.callId}",`) ? [] : [`the client got ${said} for ${release.callId}`]
}
