// One client in one test environment: makes calls and collects the evidence about them.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ActName, actOf, type Cell } from './cells.ts'
import type { ClientProcess } from './clients.ts'
import { expectedOf } from './expect.ts'
import type { Journal } from './journal.ts'
import { judge } from './judge.ts'
import type { Behaviour, Call, Generation, Outcome } from './messages.ts'
import type { Processes } from './processes.ts'
import type { Release } from './question.ts'
import { waits } from './settings.ts'
import type { TestEnv } from './test-env.ts'

/** What all cells of a run share. */
export interface RunContext {
  readonly processes: Processes
  readonly journal: Journal
  readonly clients: Readonly<Record<Generation, ClientProcess>>
}

export interface Visit extends RunContext {
  readonly testEnv: TestEnv
  readonly client: ClientProcess
  /** Kept from cell to cell. */
  connection: string
}

/** The result of a cell: the reasons for its failure, and the calls to check again at the end of the run. */
export interface Played {
  readonly reasons: string[]
  readonly callIds: readonly string[]
  /** Set if the cell may end as another act does. */
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
  return { connection, release, via, name, behaviour: behaviourOf(cell) }
}

function behaviourOf({ act, client, mode }: Cell): Behaviour {
  const { behaviour } = actOf(act)
  if (typeof behaviour === 'string') return behaviour
  return 'form' in behaviour ? behaviour[mode] : behaviour[client]
}

/** Makes a call, waits for its end, and checks it. */
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
  await visit.client.connect(visit.connection, await visit.testEnv.entrance('person'))
}
