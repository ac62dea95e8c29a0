// Proof: an answer after ten minutes still reaches the caller, whatever timeouts its client has.
//
// Each known client calls through the gateway, with its real timeouts enforced by a real SDK client; the person answers in
// the inbox after ten minutes. Either the call is held until the result arrives, or the caller gets a handle before its
// client's timeout and fetches the result. The quick form and most of the full form use a fake clock; the full form also
// waits ten real minutes with one client of each kind.

import { knownClients } from '../../packages/gateway/src/call/clients/known-clients.ts'
import { carefulTraits } from '../../packages/gateway/src/call/clients/traits.ts'
import type { Measurement } from '../../scripts/measurement.ts'
import { type Caller, callersOf, type Ended, waitWith } from './callers.ts'
import { realTime, turnedTime } from './clock.ts'
import { openTestEnv } from './test-env.ts'

const answerAfterMs = 10 * 60_000

export const run: Measurement = async ({ quick }) => {
  const table = [{ ...carefulTraits, names: ['a-client-nobody-knows'] }, ...knownClients]
  const rows = await waitAll(callersOf(table), true)
  const inRealTime = quick ? [] : await waitAll(oneOfEachKind(callersOf(table)), false)
  sayTable('with a fake clock', rows)
  if (inRealTime.length > 0) sayTable('in real time', inRealTime)

  const all = [...rows, ...inRealTime]
  const arrived = all.filter(({ ended }) => ended.arrived)
  const held = arrived.filter(({ ended }) => ended.path === 'held')
  return {
    reached: arrived.length === all.length && all.length > 0,
    figure:
      `patience: ${arrived.length}/${all.length} answers arrived after 10 minutes ` +
      `(${held.length} held, ${arrived.length - held.length} fetched later)`,
  }
}

interface Row {
  readonly caller: Caller
  readonly ended: Ended
}

async function waitAll(callers: readonly Caller[], isTurned: boolean): Promise<Row[]> {
  const time = isTurned ? turnedTime() : realTime()
  const testEnv = await openTestEnv()
  try {
    const waiting = callers.map((caller) => waitWith(caller, testEnv, time))
    await time.pass(answerAfterMs)
    await testEnv.answerAll()
    const ended = Promise.all(waiting)
    await time.passUntil(ended)
    return (await ended).map((one, at) => ({ caller: callers[at] as Caller, ended: one }))
  } finally {
    time.stop()
    await testEnv.close()
  }
}

/** One client for each kind of waiting, on each revision. */
function oneOfEachKind(callers: readonly Caller[]): Caller[] {
  const kinds = new Map<string, Caller>()
  for (const caller of callers) {
    const { patience, revision } = caller
    const kind = `${revision} ${patience.extendedBy} ${patience.quietMs}`
    if (!kinds.has(kind)) kinds.set(kind, caller)
  }
  return [...kinds.values()]
}

function sayTable(how: string, rows: readonly Row[]): void {
  console.log(`patience: ${how}:`)
  const head = ['client', 'revision', 'server', 'timeout', 'extended by', 'path taken', 'arrived']
  const lines = rows.map(({ caller: { title, revision, server, patience }, ended }) => [
    title,
    revision,
    server,
    patience.quietMs === undefined ? 'none' : `${patience.quietMs / 1_000} s`,
    patience.extendedBy,
    ended.words,
    ended.arrived ? 'yes' : `NO: ${ended.problem ?? 'no result'}`,
  ])
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]?.length ?? 0)))
  for (const line of [head, ...lines])
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
