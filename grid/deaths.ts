// The cells in which a process is killed while a question is open.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cell } from './cells.ts'
import { ClientProcess } from './clients.ts'
import { expectedOf } from './expect.ts'
import type { Call } from './messages.ts'
import { waits } from './settings.ts'
import { carryOut, conclude, newCall, newName, type Played, reconnect, type Visit } from './visit.ts'

/** Starts a separate client process and kills it while its question is open. */
export async function clientGone(cell: Cell, visit: Visit): Promise<Played> {
  const client = new ClientProcess(visit.processes, cell.client)
  const connection = newName('killed')
  await client.connect(connection, await visit.testEnv.entrance('person', 'short'))
  const call = newCall(cell, connection, 'release')
  const { callId } = call.release
  client.call(call)
  await client.asked(callId, waits.cellMs)
  client.kill()

  const limitMs = expectedOf(cell).sees.includes('nothing') ? waits.askMs.short : waits.afterwardsMs
  await visit.journal.until(callId, (entries) => entries.some(({ what }) => what === 'saw'), limitMs)
  const played = conclude(cell, visit, client, call, undefined)
  // A chain of stdio processes belongs to the client: none of them may outlive it.
  if (cell.topology.front === 'stdio' && cell.topology.back === 'stdio') {
    const left = await stillAlive(new Set(visit.journal.of(callId).map(({ pid }) => pid)))
    played.reasons.push(...left.map((pid) => `the server process ${pid} was left behind`))
  }
  return played
}

async function stillAlive(pids: ReadonlySet<number>): Promise<number[]> {
  const endMs = performance.now() + waits.afterwardsMs
  for (;;) {
    const alive = [...pids].filter(isAlive)
    if (alive.length === 0 || performance.now() > endMs) return alive
    await sleep(50)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Kills the server while a question is open. The client must get an error, and there must be no effect. */
export async function serverGone(cell: Cell, visit: Visit): Promise<Played> {
  const { client } = visit
  const call = await openQuestion(cell, visit)
  const { callId } = call.release
  for (const { what, pid } of visit.journal.of(callId)) if (what === 'asked') await visit.testEnv.kill(pid)
  if (isBetweenRounds(cell)) client.release(callId)
  const outcome = await client.ended(callId, waits.newsMs)
  const judgedAs = outcome?.kind === 'result' && restartsInTime(cell) ? 'accept' : cell.act
  const played = { ...conclude({ ...cell, act: judgedAs }, visit, client, call, outcome), judgedAs }
  client.release(callId)
  await visit.testEnv.revive()
  if (cell.topology.route === 'direct') await reconnect(visit)
  return played
}

/**
 * Between the rounds of 2026-07-28 there is no connection, so a dead server is noticed when the person answers. Two
 * gateways use that revision between them.
 */
function isBetweenRounds({ client, topology }: Cell): boolean {
  return client === '2026' || topology.server === '2026' || topology.route === 'two gateways'
}

/**
 * A 2026 server keeps nothing between rounds. If it has been restarted before the person answers, the new process
 * accepts the state and carries out the accepted action, once.
 */
function restartsInTime({ topology }: Cell): boolean {
  return topology.server === '2026' && topology.back === 'stdio' && topology.route !== 'direct'
}

/** After an earlier crash the gateway may wait for a while before it restarts the server. */
async function openQuestion(cell: Cell, visit: Visit): Promise<Call> {
  const endMs = performance.now() + waits.backMs
  for (;;) {
    const call = newCall(cell, visit.connection, 'release')
    const { callId } = call.release
    visit.client.call(call)
    const refused = visit.client.ended(callId, waits.cellMs).then(() => undefined)
    const shown = await Promise.race([visit.client.asked(callId, waits.cellMs), refused])
    if (shown !== undefined || performance.now() > endMs) return call
    await sleep(waits.againMs)
  }
}

/** Calls that are refused while the server is down must not have run; in the end a call succeeds. */
export async function serverBack(cell: Cell, visit: Visit): Promise<Played> {
  const endMs = performance.now() + waits.backMs
  const reasons: string[] = []
  for (;;) {
    const call = newCall(cell, visit.connection, 'release')
    const played = await carryOut(cell, visit, call)
    const isOver = played.reasons.length === 0 || performance.now() > endMs
    if (isOver) return { ...played, reasons: [...reasons, ...played.reasons] }
    if (visit.journal.of(call.release.callId).length > 0) reasons.push('a refused call ran anyway')
    await sleep(waits.againMs)
  }
}
