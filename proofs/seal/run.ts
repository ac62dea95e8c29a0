// Proof: sealed state cannot be forged, moved, kept or reused; and exactly the approved action runs.
//
// Invalid tokens of every class must be refused with the same error, valid ones must open, on every replica of a key
// rotation. Canonical forms are compared with an independent library. The run also fails if a class was not tried, or if
// its tokens were refused by another check than the intended one.

import { randomBytes } from 'node:crypto'
import { type SealRefusal, seal, stateRefused, unseal } from '@assent/core'
import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { agree, changeActions, keepDigests, readNames, refuseAmbiguous } from './meaning.ts'
import { count, printTable, type Tally, tally, total } from './tally.ts'
import { type Cluster, createCluster, type Forgery, forgeries, type GoodToken, goodToken } from './tokens.ts'
import { misleadEngine } from './values.ts'

const noonMs = Date.UTC(2026, 6, 28, 12)

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const share = quick ? 0.05 : 1
  const cluster = createCluster(random)

  const names = readNames(random, 20_000 * share)
  const good = [openGood(cluster, random, 100_000 * share)]
  const bad = [...forge(cluster, random, 950_000 * share), replay(cluster, random, 50_000 * share)]
  const forms = [agree(random, 200_000 * share)]
  const digests = [
    names,
    keepDigests(random, 100_000 * share),
    ...changeActions(random, 1_000_000 * share),
    ...refuseAmbiguous(random, 100_000 * share),
  ]
  printTable('bad tokens', bad, 'accepted', 'odd')
  printTable('good tokens', good, 'refused', 'odd')
  printTable('canonical forms', forms, 'disagree', 'odd')
  printTable('meanings', digests, 'wrong', 'odd')
  console.log('single use is judged here against a register in memory; the store’s contract tests judge the databases')
  measureSpeed(cluster)

  const all = [...bad, ...good, ...forms, ...digests]
  const reached = all.every(({ tried, wrong, odd }) => tried > 0 && wrong === 0 && odd === 0)
  const figure =
    `seal: ${count(total(bad).tried)} bad tokens, ${total(bad).wrong} accepted, ${total(bad).odd} odd refusals; ` +
    `${count(total(good).tried)} good, ${total(good).wrong} refused; ` +
    `${count(total(forms).tried)} canonical forms, ${total(forms).wrong} disagree; ` +
    `${count(total(digests).tried)} spellings and changes, ${total(digests).wrong} mistaken`
  return { reached, figure }
}

/** Each class in turn over pairs of valid tokens, until every class has its equal share. */
function forge(cluster: Cluster, random: SeededRandom, attempts: number): Tally[] {
  const classes = Object.entries(forgeries).map(([name, make]) => ({ make, tally: tally(name) }))
  const rounds = Math.ceil(attempts / classes.length)
  let pair = [goodToken(cluster, random, noonMs), goodToken(cluster, random, noonMs)] as const
  for (let round = 0; round < rounds; round++) {
    if (round % 4 === 0) pair = [pair[1], goodToken(cluster, random, noonMs)]
    for (const { make, tally } of classes) attempt(make(...pair, cluster, random), tally)
  }
  return classes.map((each) => each.tally)
}

function attempt({ ring, token, expected, caughtAs }: Forgery, into: Tally): void {
  into.tried += 1
  let reason: SealRefusal | undefined
  try {
    const result = unseal(ring, token, expected, (why) => {
      reason = why
    })
    if (result.ok) into.wrong += 1
    else if (result !== stateRefused || (caughtAs !== undefined && reason !== caughtAs)) into.odd += 1
  } catch {
    into.odd += 1
  }
}

/** As the store does in the transaction of a decision: an id counts once. */
function replay(cluster: Cluster, random: SeededRandom, attempts: number): Tally {
  const into = tally('used a second time')
  const used = new Set<string>()
  const use = ({ token, expected }: GoodToken) => {
    const opened = unseal(random.pick(cluster.replicas), token, expected)
    if (!opened.ok || used.has(opened.id)) return stateRefused
    used.add(opened.id)
    return opened
  }
  for (let i = 0; i < attempts; i++) {
    const good = goodToken(cluster, random, noonMs)
    if (!use(good).ok) into.odd += 1
    into.tried += 1
    if (use(good).ok) into.wrong += 1
  }
  return into
}

function openGood(cluster: Cluster, random: SeededRandom, attempts: number): Tally {
  const into = tally('opened on any replica of a rotation')
  for (let i = 0; i < attempts; i++) {
    const good = goodToken(cluster, random, noonMs)
    // The payload has a member that an engine with the bug would misread.
    misleadEngine('asks')
    into.tried += 1
    const opened = unseal(random.pick(cluster.replicas), good.token, good.expected)
    if (!opened.ok) into.wrong += 1
    else if (JSON.stringify(opened.payload) !== JSON.stringify(good.payload)) into.odd += 1
    else if (opened.expiresAtMs !== good.expiresAtMs) into.odd += 1
  }
  return into
}

function measureSpeed(cluster: Cluster): void {
  const payload = { asks: ['ask_1'], upstream: 'x'.repeat(600) }
  const binding = { principal: 'https://id.example#ada', purpose: 'resume', requestDigest: `sha256:${'0'.repeat(64)}` }
  const rounds = 20_000
  // Processor time, because the machine may be busy with other things.
  const before = process.cpuUsage()
  let bytes = 0
  for (let i = 0; i < rounds; i++) {
    const token = seal(cluster.ring, { ...binding, ttlMs: 60_000 }, payload, { nowMs: noonMs, random: randomBytes })
    bytes = token.length
    unseal(cluster.ring, token, { ...binding, nowMs: noonMs })
  }
  const { user, system } = process.cpuUsage(before)
  const perSecond = count(Math.round(rounds / ((user + system) / 1_000_000)))
  console.log(`speed: ${perSecond} sealed and opened per second of processor time, tokens of ${count(bytes)} bytes`)
}
