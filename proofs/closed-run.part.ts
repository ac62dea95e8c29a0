// One gated call in the life of which something fails, and how long its caller was kept beyond the deadline.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import { askWaitMs, type Cell, type House } from './closed-house.part.ts'
import { askInbox } from './closed-inbox.part.ts'
import type { Late } from './closed-stalls.part.ts'
import { isAdmitted, trespass } from './closed-tokens.part.ts'
import { answerOf, type Said } from './fleet-call.part.ts'
import { Sessions } from './fleet-call-2025.part.ts'
import { makeCall } from './fleet-crowd.part.ts'
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
  /** Bad tokens that were tried, and what came of those that were not refused. */
  readonly tokens: number
  readonly admitted: readonly string[]
  /** Of the call, and of all else that had to be answered. */
  readonly lates: readonly Late[]
  /** How long after the fault the gateway had everything again. */
  readonly backMs: number
  /** What was heard of it instead, when it did not come back. */
  readonly lost?: string
}

const lateByMs = 300
/** How long a caller listens: one that hears something after that has heard nothing. */
const patienceMs = 40_000
/** How long a gateway may take to have everything again, and how long it is waited for on a machine that holds it up. */
const backWithinMs = 20_000
const waitedForMs = 90_000
const lookMs = 30
/** Where an issuer fails, the call and its answer meet keys that are fresh, old and too old. */
const issuerGoneMs = 2_500
const longThoughtMs = 1_700

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
    await sleep(50 + random.int(cell.issuer === undefined ? 200 : longThoughtMs))
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
  if (moment === 'before the call') {
    await fail()
    if (cell.issuer !== undefined) await sleep(random.int(issuerGoneMs))
  }
  const connectedFromMs = Date.now()
  // A request of its own, which has to be answered in time by itself.
  if (record.client === '2025-11-25') await sessions.of(record, headers)
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
  const before = trespass(cell, patienceMs)
  let isOver = false
  const answering =
    record.asked === 'inbox' ? answerInInbox(house, cell, plan, thinks, random, () => isOver) : undefined
  const end = await calling
  const endedAtMs = Date.now()
  isOver = true
  record.end = end
  await answering
  const deadlines = (await house.asksOf(record.ticket)).map(({ decideByMs }) => decideByMs)
  const atClient = record.asked === 'client' && askedAtMs !== undefined ? Math.max(askedAtMs + askWaitMs, lateAtMs) : 0
  const dueMs = Math.max(startedAtMs, atClient, ...deadlines) + cell.allowanceMs
  await fail()
  const strangers = [await before, await trespass(cell, patienceMs)]
  await cell.mend()
  const mendedAtMs = Date.now()
  const lost = await notBack(house, cell)
  const backMs = Date.now() - mendedAtMs
  const tokens = strangers.flatMap(({ waits }) => waits)
  return {
    plan,
    end,
    tokens: tokens.length,
    admitted: strangers.flatMap(({ admitted }) => admitted),
    lates: [
      cell.late({ fromMs: dueMs, untilMs: endedAtMs }),
      cell.late({ fromMs: connectedFromMs + cell.allowanceMs, untilMs: startedAtMs }),
      ...tokens.map(cell.late),
    ],
    backMs,
    ...(lost === undefined ? {} : { lost }),
  }
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
    const cookie = await house.cookieOf(record.principal)
    const response = await askInbox(origin, `/api/asks/${askId}/answer`, { cookie, body }).catch(() => undefined)
    if (response === undefined || response.status >= 500) continue
    const { status } = response
    house.evidence.inboxAnswers.push({ askId, decisionId, by: record.principal, action, status, isStranger: false })
    return
  }
}

/** The next run begins with a gateway that has everything it needs. Tells what was heard last of one that has not. */
async function notBack(house: House, cell: Cell): Promise<string | undefined> {
  const fromMs = Date.now()
  const isReached = async () => (await inboxSays(house, cell)).startsWith('200 ')
  for (const isThere of [isReached, () => isAdmitted(cell)]) {
    while (!(await isThere())) {
      const { lateMs, heldUpMs } = cell.late({ fromMs, untilMs: Date.now() })
      if (lateMs - heldUpMs > backWithinMs || lateMs > waitedForMs) return inboxSays(house, cell)
      await sleep(lookMs)
    }
  }
  return undefined
}

async function inboxSays(house: House, cell: Cell): Promise<string> {
  const { origin } = new URL(cell.url)
  const cookie = await house.cookieOf(cell.principal)
  const response = await askInbox(origin, '/api/me', { cookie }).catch(String)
  return typeof response === 'string' ? response : `${response.status} ${response.text}`
}
