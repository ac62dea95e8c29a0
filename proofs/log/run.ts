// Proof: the audit log has every committed entry once and in order, whatever fails, and shows every kind of tampering.
//
// Three replicas write asks, decisions and notes to one tenant, each with a sequencer. Replicas (often the one that extends the log)
// and the database are killed, transactions commit late, and clocks jump. ASSENT_PROOF_ENTRIES sets the number of entries.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing, type ErasureBody, erasureSubject } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { retried } from '../../test-kit/retried.ts'
import { LogDatabase, schema } from './database.ts'
import { judgeLog, type LogEvidence, plantedEvidence } from './judge.ts'
import { tampered } from './tampering.ts'
import { verifyExport } from './verify.ts'
import { tenant } from './writer.ts'
import { Writers } from './writers.ts'

interface Plan {
  readonly entries: number
  /** At least this many of each, spread over the run. */
  readonly kills: number
  readonly databaseKills: number
  readonly lateCommits: number
  readonly clockJumps: number
  /** Between two faults, on average. */
  readonly pauseMs: number
  /** Of single entries. */
  readonly proofs: number
  readonly plantsBug?: boolean
}

const replicas = 3
const leastKinds = 100
const dayMs = 24 * 60 * 60 * 1_000
const latestMs = 4_000
/** From the time of an entry until a checkpoint covers it, of 99 in 100 entries, kills and late commits included. */
const delayMsMost = 2_000
/** One of so many notes is erased before the log is verified, and one during that. */
const erasedShare = 100
const erasedAtOnce = 500

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const entries = Number(process.env.ASSENT_PROOF_ENTRIES ?? (quick ? 4_000 : 1_000_000))
  const faultsOf = (share: number) => ({
    kills: Math.ceil(120 * share),
    databaseKills: Math.ceil(12 * share),
    lateCommits: Math.ceil(120 * share),
    clockJumps: Math.ceil(60 * share),
    pauseMs: 500,
  })
  const plan = { entries, ...faultsOf(quick ? 1 / 40 : 1), proofs: quick ? 20 : 200 }
  const folder = mkdtempSync(join(tmpdir(), 'assent-log-'))
  try {
    const bug = { ...plan, entries: 1_500, kills: 0, databaseKills: 0, lateCommits: 8, clockJumps: 0, plantsBug: true }
    const withBug = await runLog(bug, random, join(folder, 'bug'))
    if (withBug.faults.length === 0) say('planted and not found: late commits are skipped')
    const { faults, evidence, counts, verified, delayMs } = await runLog(plan, random, join(folder, 'run'))
    for (const fault of faults.slice(0, 20)) say(`FAULT ${fault}`)
    const overlooked = plantedEvidence.filter(([, plant]) => judgeLog(plant(evidence)).length === 0)
    for (const [what] of overlooked) say(`planted and not found: ${what}`)
    const { kinds, missed } = await tampered(folder)
    for (const what of missed) say(`FAULT tampering that is not detected: ${what}`)
    const found = faults.length + missed.length
    const notFound = overlooked.length + (withBug.faults.length === 0 ? 1 : 0)
    const planted = plantedEvidence.length + 1
    return {
      // The quick form has few entries and many faults, so it has no typical delay.
      reached:
        found === 0 &&
        notFound === 0 &&
        kinds >= leastKinds &&
        evidence.entries.length >= entries &&
        (quick || delayMs.p99 <= delayMsMost),
      figure:
        `log: ${amount(evidence.entries.length)} entries from ${replicas} replicas, ${counts}: ${found} faults; ` +
        `${amount(evidence.checkpoints.length)} checkpoints are consistent, both verifiers accept ${verified.logs} exports and ${verified.proofs} proofs; ` +
        `${kinds - missed.length} of ${kinds} kinds of tampering detected; entries were in the log after p50 ${delayMs.p50} and p99 ${delayMs.p99} ms, kills included (at most ${amount(delayMsMost)} in the full form); ` +
        `${planted - notFound} of ${planted} planted faults found`,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runLog(plan: Plan, random: SeededRandom, folder: string) {
  const database = await LogDatabase.start(plan.plantsBug === true ? 'bug' : 'run')
  const secret = randomBytes(32)
  const keys = createKeyRing([{ id: 'proof', secret }])
  const open = () =>
    retried(() => openPostgres(database.url, { keys, schema, connections: 2, statementTimeoutMs: 60_000 }))
  let writers: Writers | undefined
  try {
    await (await open()).close()
    await database.keepCheckpoints()
    if (plan.plantsBug === true) await database.skipLateCommits()
    writers = new Writers({ url: database.url, schema, secret: secret.toString('base64') }, replicas)
    const lates = await disrupt(plan, database, writers, random)
    await writers.stop()
    const store = await open()
    try {
      const read = await evidenceOf(store, database, writers)
      const faults = [...writers.problems, ...judgeLog(read.evidence), ...(await erasureFaults(store, database))]
      const { checkpoints } = read.evidence
      const older = [checkpoints[0], random.pick(checkpoints), random.pick(checkpoints)].filter(
        (one) => one !== undefined,
      )
      const verified = await verifyExport(store, folder, older, { proofs: plan.proofs, random })
      const counts = `${writers.kills} killed (${writers.sequencerKills} while they extended the log), ${database.kills} kills of the database, ${lates} late commits, ${plan.clockJumps} clock jumps`
      return { ...read, faults: [...faults, ...verified.faults], counts, verified }
    } finally {
      await store.close()
    }
  } finally {
    writers?.killAll()
    await database.remove()
  }
}

/** Until there are enough entries and every fault was tried. Returns how many transactions committed late. */
async function disrupt(plan: Plan, database: LogDatabase, writers: Writers, random: SeededRandom): Promise<number> {
  let [lates, jumps, committed] = [0, 0, 0]
  const open = new Set<Promise<void>>()
  for (;;) {
    const last = await database.lastEntry()
    const share = (last ?? 0) / plan.entries
    const isDue = (done: number, wanted: number) => done < wanted * Math.min(share, 1)
    if (isDue(writers.kills, plan.kills)) await writers.kill(random)
    if (isDue(lates, plan.lateCommits)) {
      lates += 1
      const subject = `late-${lates}`
      const late = database.commitLate(subject, random.int(latestMs)).then((isCommitted) => {
        if (isCommitted) writers.confirm(subject, 1)
        if (isCommitted) committed += 1
        open.delete(late)
      })
      open.add(late)
    }
    if (isDue(jumps, plan.clockJumps)) {
      jumps += 1
      writers.skew(random, (random.int(2) === 0 ? -1 : 1) * random.int(dayMs))
    }
    if (isDue(database.kills, plan.databaseKills)) await database.kill()
    const isWhole = writers.kills >= plan.kills && lates >= plan.lateCommits && jumps >= plan.clockJumps
    const isDone = share >= 1 && isWhole && database.kills >= plan.databaseKills
    // Transactions that failed have numbers too.
    if (isDone && (await database.count('audit_entries').catch(() => 0)) >= plan.entries) break
    await sleep(random.int(plan.pauseMs))
  }
  await Promise.all(open)
  return committed
}

async function evidenceOf(store: Store, database: LogDatabase, { confirmed }: Writers) {
  await store.audit.integrate(tenant)
  const kept = await database.checkpoints()
  const entries = await database.entries()
  const evidence: LogEvidence = {
    entries,
    stored: await database.count('audit_entries'),
    checkpoints: kept.map(({ checkpoint }) => checkpoint),
    confirmed,
  }
  return { evidence, delayMs: delaysOf(entries, kept) }
}

/** From the time of an entry to that of the first checkpoint that covers it, by the clock of the database. */
function delaysOf(
  entries: readonly { readonly atMs: number }[],
  checkpoints: readonly { readonly checkpoint: string; readonly storedAtMs: number }[],
): { readonly p50: number; readonly p99: number } {
  const delays: number[] = []
  let from = 0
  for (const { checkpoint, storedAtMs } of checkpoints) {
    const size = Number(checkpoint.split('\n')[1])
    for (const { atMs } of entries.slice(from, size)) delays.push(storedAtMs - atMs)
    from = Math.max(from, size)
  }
  const sorted = Float64Array.from(delays).toSorted()
  const quantile = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { p50: quantile(0.5), p99: quantile(0.99) }
}

/** What `assent audit verify` reports: with texts that were erased before, with ones that are erased meanwhile, and with all of them. */
async function erasureFaults(store: Store, database: LogDatabase): Promise<string[]> {
  const before = await erase(store, database, 0)
  const [faults, more] = await Promise.all([problemsOf(store), erase(store, database, 1)])
  const verdict = await store.record.verify(tenant)
  const isCounted = verdict.ok && verdict.erased === before + more
  return [...faults, ...(isCounted ? [] : [`${before + more} texts were erased: ${JSON.stringify(verdict)}`])]
}

async function problemsOf(store: Store): Promise<string[]> {
  const verdicts = [await store.audit.verify(tenant), await store.record.verify(tenant)]
  return verdicts.flatMap((verdict) => (verdict.ok ? [] : [`audit verify: ${JSON.stringify(verdict)}`]))
}

/** Erases texts as `assent retain` does on request: what is erased is recorded in the log. */
async function erase(store: Store, database: LogDatabase, rest: number): Promise<number> {
  const notes = await database.notes(`id % ${erasedShare} = ${rest}`)
  for (let at = 0; at < notes.length; at += erasedAtOnce) {
    const some = notes.slice(at, at + erasedAtOnce)
    const body = { reason: 'request', digests: some.map(({ digest }) => digest) } satisfies ErasureBody
    await store.audit.append(tenant, [{ subject: erasureSubject, body }], 'record.erased')
    const ids = some.map(({ id }) => id).join(', ')
    await database.run(`update audit_entries set salt = null, body = null where id in (${ids})`)
  }
  return notes.length
}

function amount(value: number): string {
  return value.toLocaleString('en')
}

function say(text: string): void {
  console.log(`log: ${text}`)
}
