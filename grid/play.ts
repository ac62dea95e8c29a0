// Runs one cell in its test environment: makes the calls and triggers the events of its act.

import type { Cell } from './cells.ts'
import { clientGone, serverBack, serverGone } from './deaths.ts'
import type { ConnectionOptions, Outcome } from './messages.ts'
import { type Release, urlOf } from './question.ts'
import { type AskWait, waits } from './settings.ts'
import { carryOut, newCall, newName, type Played, together, type Visit } from './visit.ts'

const people = 10
const callsPerPerson = 5
/** Long enough for all calls of a cell to have their questions open at the same time. */
const overlapMs = 100

export function play(cell: Cell, visit: Visit): Promise<Played> {
  switch (cell.act) {
    case 'crowd':
      return crowd(cell, visit)
    case '2025-06-18':
      return onOwnConnection(cell, visit, { revision: cell.act })
    case 'undeclared':
      return onOwnConnection(cell, visit, { formOnly: true })
    case 'timeout':
      return onOwnConnection(cell, visit, { askWait: 'short' })
    case 'client gone':
      return clientGone(cell, visit)
    case 'server gone':
      return serverGone(cell, visit)
    case 'server back':
      return serverBack(cell, visit)
    case 'refused first':
      return refusedFirst(cell, visit)
    default:
      return everyName(cell, visit)
  }
}

/** One call for every tool name of the topology, all at the same time. */
async function everyName(cell: Cell, visit: Visit): Promise<Played> {
  const names = visit.testEnv.names()
  const calls = names.map((name) => newCall(cell, visit.connection, name))
  const delayed = names.length === 1 ? calls : calls.map((call) => ({ ...call, delayMs: overlapMs }))
  const played = together(await Promise.all(delayed.map((call) => carryOut(cell, visit, call))))
  for (const { release } of calls) played.reasons.push(...(await judgeCompletion(cell, visit, release)))
  return played
}

/** If all sides support it, the server notifies the client that the elicitation is complete. */
async function judgeCompletion(cell: Cell, visit: Visit, { callId }: Release): Promise<string[]> {
  const { act, mode, client, topology } = cell
  if (act !== 'accept' || mode !== 'url' || client === '2026' || topology.server === '2026') return []
  // Two gateways use 2026-07-28 between them, which has no such notification.
  if (topology.route === 'two gateways') return []
  const [shown] = visit.client.shown(callId)
  if (shown?.elicitationId === undefined) return []
  const completed = await visit.client.completed(shown.elicitationId, waits.newsMs)
  return completed === undefined ? [`the completion of ${shown.elicitationId} never arrived`] : []
}

async function crowd(cell: Cell, visit: Visit): Promise<Played> {
  const connections = Array.from({ length: people }, () => newName('person'))
  await Promise.all(
    connections.map((each) => visit.testEnv.entrance(each).then((to) => visit.client.connect(each, to))),
  )
  const calls = connections.flatMap((connection) =>
    Array.from({ length: callsPerPerson }, (_, i) => ({
      ...newCall(cell, connection, 'release'),
      // Answers come in another order than questions.
      delayMs: ((i * 7) % callsPerPerson) * 20,
    })),
  )
  const played = await Promise.all(calls.map((call) => carryOut(cell, visit, call, waits.crowdMs)))
  await Promise.all(connections.map((each) => visit.client.disconnect(each)))
  return together(played)
}

/** On a separate connection, with an older revision, fewer capabilities, or a gateway with a short ask timeout. */
async function onOwnConnection(
  cell: Cell,
  visit: Visit,
  options: ConnectionOptions & { readonly askWait?: AskWait },
): Promise<Played> {
  const connection = newName('other')
  const to = await visit.testEnv.entrance('person', options.askWait)
  const agreed = await visit.client.connect(connection, to, options)
  const played = await carryOut(cell, visit, newCall(cell, connection, 'release'))
  const { revision = agreed } = options
  if (agreed !== revision) played.reasons.push(`revision ${agreed} was agreed on, not ${revision}`)
  await visit.client.disconnect(connection)
  return played
}

/** A 2025 client gets the error and calls again; for a 2026 client the gateway does that. */
async function refusedFirst(cell: Cell, visit: Visit): Promise<Played> {
  const call = newCall(cell, visit.connection, 'release')
  if (cell.client === '2026') return carryOut(cell, visit, call)
  const { callId } = call.release
  visit.client.call(call)
  const refusal = await visit.client.ended(callId, waits.cellMs)
  const reasons = judgeRefusal(refusal, call.release)
  const [{ elicitationId = '' } = {}] = elicitationsIn(refusal)
  const completed = await visit.client.completed(elicitationId, waits.newsMs)
  if (completed === undefined) reasons.push(`the completion of ${elicitationId} never arrived`)
  visit.client.forget(callId)
  const played = await carryOut(cell, visit, call)
  return { ...played, reasons: [...reasons, ...played.reasons] }
}

function elicitationsIn(outcome: Outcome | undefined): { url?: string; elicitationId?: string }[] {
  const data = outcome?.kind === 'error' ? outcome.data : undefined
  return (data as { elicitations?: { url?: string; elicitationId?: string }[] } | undefined)?.elicitations ?? []
}

function judgeRefusal(outcome: Outcome | undefined, release: Release): string[] {
  if (outcome?.kind !== 'error' || outcome.code !== '-32042') return [`refused with ${JSON.stringify(outcome)}`]
  const [{ url } = {}] = elicitationsIn(outcome)
  return url === urlOf(release, 'first') ? [] : [`the refusal names the address ${url}`]
}
