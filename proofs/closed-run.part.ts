// One gated call in the life of which something fails, and how long its caller was kept beyond the deadline.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import { askWaitMs, type Cell, type House } from './closed-house.part.ts'
import { answerOf, makeCall, type Said, Sessions } from './fleet-crowd.part.ts'
import type { CallEnd, CallRecord } from './fleet-evidence.part.ts'
import type { SeededRandom } from './random.part.ts'

export const moments = [
  'before the call',
  'when it is asked',
  'with the answer',
  'after the answer',
  'when it comes back',
] as const

/** The silent one answers when it is too late. */
export type Mind = 'accept' | 'decline' | 'silent'

export interface Plan {
  readonly record: CallRecord
  readonly moment: (typeof moments)[number]
  readonly mind: Mind
  /** Whether a session of its client stands before anything fails. */
  readonly isConnected: boolean
}

export interface Outcome {
  readonly plan: Plan
  readonly end: CallEnd
  /** From the deadline to the answer that the caller heard. */
  readonly lateMs: number
}

/** Whoever was let in with a token that lets nobody in, and how long the longest of them waited. */
export interface Trespass {
  readonly tried: number
  readonly admitted: readonly string[]
  readonly slowestMs: number
}

const lateByMs = 300
const patienceMs = 20_000
const lookMs = 30

export async function runOnce(house: House, cell: Cell, plan: Plan, random: SeededRandom): Promise<Outcome> {
  const { record, moment, mind, isConnected } = plan
  let failing: Promise<void> | undefined
  const fail = () => {
    failing ??= cell.fail()
    return failing
  }
  let askedAtMs: number | undefined
  let lateAtMs = 0
  const thinks = async (): Promise<Said> => {
    askedAtMs ??= Date.now()
    if (moment === 'when it is asked') await fail()
    await sleep(50 + random.int(200))
    if (mind === 'silent') {
      await sleep(Math.max(0, askedAtMs + askWaitMs + lateByMs - Date.now()))
      lateAtMs = Date.now()
      return { action: 'accept', isLate: true }
    }
    if (moment === 'with the answer') void fail()
    if (moment === 'after the answer' || moment === 'when it comes back') setTimeout(() => void fail(), random.int(40))
    return { action: mind }
  }
  const headers = cell.issuer === undefined ? {} : { authorization: `Bearer ${await cell.issuer.good()}` }
  const sessions = new Sessions(cell.url)
  if (isConnected) await sessions.of(record, headers)
  if (moment === 'before the call') await fail()
  const startedAtMs = Date.now()
  const given = {
    url: cell.url,
    evidence: house.evidence,
    thinks,
    patienceMs,
    headers,
    givesUp: true,
    onSentAway: () => {
      if (moment === 'when it comes back') void fail()
    },
  }
  house.evidence.calls.set(record.ticket, record)
  const calling = makeCall(record, given, sessions)
  let isOver = false
  const answering =
    record.asked === 'inbox' ? answerInInbox(house, cell, plan, thinks, random, () => isOver) : undefined
  const end = await calling
  const endedAtMs = Date.now()
  isOver = true
  record.end = end
  await answering
  const deadlines = (await house.asksOf(record.ticket)).map(({ decideByMs }) => decideByMs)
  const atClient = record.asked === 'client' && askedAtMs !== undefined ? askedAtMs + askWaitMs : 0
  const dueMs = Math.max(startedAtMs, atClient, lateAtMs, ...deadlines) + cell.allowanceMs
  await failing
  await cell.mend()
  await isBack(house, cell)
  return { plan, end, lateMs: endedAtMs - dueMs }
}

/** The person finds the question in an inbox, that of the failing gateway or of the sound one, and says what they think. */
async function answerInInbox(
  house: House,
  cell: Cell,
  { record }: Plan,
  thinks: () => Promise<Said>,
  random: SeededRandom,
  isOver: () => boolean,
): Promise<void> {
  const origins = [new URL(cell.url).origin, house.soundOrigin]
  if (random.int(2) === 0) origins.reverse()
  let askId: string | undefined
  while (askId === undefined) {
    if (isOver()) return
    const asks = await house.asksOf(record.ticket)
    askId = asks.find(({ kind, isOpen }) => kind === 'form' && isOpen)?.id
    if (askId === undefined) await sleep(lookMs)
  }
  const { action } = await thinks()
  const decisionId = newId('decision', Date.now(), randomBytes)
  const body = JSON.stringify({ decisionId, answer: answerOf(action, record.server) })
  for (const origin of origins) {
    const headers = {
      cookie: await house.cookieAt(origin, record.principal),
      origin,
      'assent-inbox': '1',
      'content-type': 'application/json',
    }
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(`${origin}/api/asks/${askId}/answer`, { method: 'POST', headers, body, signal }).catch(
      () => undefined,
    )
    await response?.text().catch(() => undefined)
    if (response === undefined || response.status >= 500) continue
    const { status } = response
    house.evidence.inboxAnswers.push({ askId, decisionId, by: record.principal, action, status, isStranger: false })
    return
  }
}

/** Tries every bad token while the issuer fails. */
export async function trespass({ url, issuer }: Cell): Promise<Trespass> {
  if (issuer === undefined) return { tried: 0, admitted: [], slowestMs: 0 }
  const bad = Object.entries(await issuer.bad())
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stranger', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  let slowestMs = 0
  const admitted = await Promise.all(
    bad.map(async ([kind, token]) => {
      const startedAt = performance.now()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(patienceMs) })
      await response.text()
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      return [401, 403, 503].includes(response.status) ? [] : [`a token ${kind} was answered with ${response.status}`]
    }),
  )
  return { tried: bad.length, admitted: admitted.flat(), slowestMs }
}

/** The next run begins with a gateway that has everything it needs. */
async function isBack(house: House, cell: Cell): Promise<void> {
  const { origin } = new URL(cell.url)
  for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; await sleep(lookMs)) {
    const cookie = await house.cookieAt(origin, cell.principal)
    const signal = AbortSignal.timeout(2_000)
    const response = await fetch(`${origin}/api/me`, { headers: { cookie }, signal }).catch(() => undefined)
    await response?.text().catch(() => undefined)
    if (response?.status === 200) return
  }
  throw new Error(`The gateway of ${cell.dependency} × ${cell.way} did not come back.`)
}
