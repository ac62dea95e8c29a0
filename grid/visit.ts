// A visit of one client to one stage: makes calls on it and gathers what is known about them.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ActName, actOf, type Cell } from './cells.ts'
import type { ClientProcess } from './clients.ts'
import { expectedOf } from './expect.ts'
import type { Journal } from './journal.ts'
import { judge } from './judge.ts'
import type { Call, Generation, Manner, Outcome } from './messages.ts'
import type { Processes } from './processes.ts'
import type { Release } from './question.ts'
import { waits } from './settings.ts'
import type { Stage } from './stage.ts'

/** What all cells of a run share. */
export interface Company {
  readonly processes: Processes
  readonly journal: Journal
  readonly clients: Readonly<Record<Generation, ClientProcess>>
}

export interface Visit extends Company {
  readonly stage: Stage
  readonly client: ClientProcess
  /** Kept from cell to cell. */
  connection: string
}

/** What is known when a cell is over: the reasons it failed for, and the calls to look at again at the very end. */
export interface Played {
  readonly reasons: string[]
  readonly callIds: readonly string[]
  /** Where a cell can rightly end as another act does. */
  readonly judgedAs?: ActName
}

let counter = 0

/** Unique in the run, and readable in a log. */
export function newName(kind: string): string {
  counter += 1
  return `${kind}-${counter}`
}

export function newCall(cell: Cell, connection: string, name: string): Call {
  const { script = 'one', via = 'tool' } = actOf(cell.act)
  const callId = newName('call')
  const release: Release = { callId, build: newName('b'), mode: cell.mode, script }
  return { connection, release, via, name, manner: mannerOf(cell) }
}

function mannerOf({ act, client, mode }: Cell): Manner {
  const { manner } = actOf(act)
  if (typeof manner === 'string') return manner
  return 'form' in manner ? manner[mode] : manner[client]
}

/** Makes a call, waits for its end, and has it judged. */
export async function carryOut(cell: Cell, visit: Visit, call: Call, limitMs: number = waits.cellMs): Promise<Played> {
  visit.client.call(call)
  return conclude(cell, visit, visit.client, call, await visit.client.ended(call.release.callId, limitMs))
}

export function conclude(
  cell: Cell,
  visit: Visit,
  client: ClientProcess,
  call: Call,
  outcome: Outcome | undefined,
): Played {
  const { release, connection } = call
  const { callId } = release
  const entries = visit.journal.of(callId)
  const [shown, strayed] = [client.shown(callId), client.strayed(connection)]
  return { reasons: judge(cell, expectedOf(cell), { release, entries, shown, strayed, outcome }), callIds: [callId] }
}

export function together(played: readonly Played[]): Played {
  return {
    reasons: [...new Set(played.flatMap(({ reasons }) => reasons))],
    callIds: played.flatMap(({ callIds }) => callIds),
  }
}

export async function reconnect(visit: Visit): Promise<void> {
  await Promise.race([visit.client.disconnect(visit.connection), sleep(waits.newsMs)])
  visit.connection = newName('line')
  await visit.client.connect(visit.connection, await visit.stage.entrance('person'))
}
