// One gated call during which a dependency fails, and how late after the deadline its caller got an answer.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { answerOf, type PersonAnswer } from '../cluster/call.ts'
import { Sessions } from '../cluster/call-2025.ts'
import { makeCall } from '../cluster/callers.ts'
import type { CallEnd, CallRecord } from '../cluster/evidence.ts'
import { askInbox } from './inbox.ts'
import type { Late } from './stalls.ts'
import { askWaitMs, type Cell, type TestEnv } from './test-env.ts'
import { isAdmitted, trespass } from './tokens.ts'

/** When the dependency fails. `when it comes back`: when the caller returns for the result of its deferred call. */
export const moments = [
  'before the call',
  'when it is asked',
  'with the answer',
  'after the answer',
  'when it comes back',
] as const

/** `silent` answers after the deadline. */
export type PersonBehaviour = 'accept' | 'decline' | 'silent'

export interface Plan {
  readonly record: CallRecord
  readonly moment: (typeof moments)[number]
  readonly behaviour: PersonBehaviour
  /** Whether the client opens its session before the fault. */
  readonly isConnected: boolean
}

export interface Outcome {
  readonly plan: Plan
  readonly end: CallEnd
  /** The number of invalid tokens that were tried, and a description of each that was accepted. */
  readonly tokens: number
  readonly admitted: readonly string[]
  /** For the call and for every other request that needed an answer. */
  readonly lates: readonly Late[]
  /** How long after the end of the fault the gateway was ready again. */
  readonly backMs: number
  /** Its last reply, if it did not recover. */
  readonly lost?: string
}

const lateByMs = 300
/** How long a caller waits: a later answer counts as none. */
const patienceMs = 40_000
/** How long a gateway may take to recover, not counting stalls of the machine; and with them. */
const backWithinMs = 20_000
const backOnBusyMachineMs = 90_000
const lookMs = 30
/** If the issuer fails: long enough that cached keys can be fresh, stale or expired at the call and at its answer. */
const issuerGoneMs = 2_500
const slowAnswerMs = 1_700

export async function runOnce(testEnv: TestEnv, cell: Cell, plan: Plan, random: SeededRandom): Promise<Outcome> {
  const { record, moment, behaviour, isConnected } = plan
  let failing: Promise<void> | undefined
  const fail = () => {
    failing ??= cell.fail()
    return failing
  }
  let askedAtMs: number | undefined
  let lateAtMs = 0
  const decide = async (): Promise<PersonAnswer> => {
    askedAtMs ??= Date.now()
    if (moment === 'when it is asked') await fail()
    await sleep(50 + random.int(cell.issuer === undefined ? 200 : slowAnswerMs))
    if (behaviour === 'silent') {
      await sleep(Math.max(0, askedAtMs + askWaitMs + lateByMs - Date.now()))
      lateAtMs = Date.now()
      return { action: 'accept', isLate: true }
    }
    if (moment === 'with the answer') void fail()
    if (moment === 'after the answer' || moment === 'when it comes back') setTimeout(() => void fail(), random.int(40))
    return { action: behaviour }
  }
  const headers = cell.issuer === undefined ? {} : { authorization: `Bearer ${await cell.issuer.good()}` }
  const sessions = new Sessions(cell.url)
  if (isConnected) await sessions.of(record, headers)
  if (moment === 'before the call') {
    await fail()
    if (cell.issuer !== undefined) await sleep(random.int(issuerGoneMs))
  }
  const connectedFromMs = Date.now()
  // A separate request, which needs its own answer in time.
  if (record.client === '2025-11-25') await sessions.of(record, headers)
  const startedAtMs = Date.now()
  const given = {
    url: cell.url,
    evidence: testEnv.evidence,
    decide,
    patienceMs,
    headers,
    endsOnUnavailable: true,
    onDeferred: () => {
      if (moment === 'when it comes back') void fail()
    },
  }
  testEnv.evidence.calls.set(record.ticket, record)
  const calling = makeCall(record, given, sessions)
  const before = trespass(cell, patienceMs)
  let isOver = false
  const answering =
    record.asked === 'inbox' ? answerInInbox(testEnv, cell, plan, decide, random, () => isOver) : undefined
  const end = await calling
  const endedAtMs = Date.now()
  isOver = true
  record.end = end
  await answering
  const deadlines = (await testEnv.asksOf(record.ticket)).map(({ decideByMs }) => decideByMs)
  const atClient = record.asked === 'client' && askedAtMs !== undefined ? Math.max(askedAtMs + askWaitMs, lateAtMs) : 0
  const dueMs = Math.max(startedAtMs, atClient, ...deadlines) + cell.allowanceMs
  await fail()
  const strangers = [await before, await trespass(cell, patienceMs)]
  await cell.restore()
  const restoredAtMs = Date.now()
  const lost = await waitForRecovery(testEnv, cell)
  const backMs = Date.now() - restoredAtMs
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

/** The person answers in the inbox of the failing gateway or in that of the healthy one. */
async function answerInInbox(
  testEnv: TestEnv,
  cell: Cell,
  { record }: Plan,
  decide: () => Promise<PersonAnswer>,
  random: SeededRandom,
  isOver: () => boolean,
): Promise<void> {
  const origins = [new URL(cell.url).origin, testEnv.soundOrigin]
  if (random.int(2) === 0) origins.reverse()
  let askId: string | undefined
  while (askId === undefined) {
    if (isOver()) return
    const asks = await testEnv.asksOf(record.ticket)
    askId = asks.find(({ kind, isOpen }) => kind === 'form' && isOpen)?.id
    if (askId === undefined) await sleep(lookMs)
  }
  const { action } = await decide()
  const decisionId = newId('decision', Date.now(), randomBytes)
  const body = JSON.stringify({ decisionId, answer: answerOf(action, record.server) })
  for (const origin of origins) {
    const cookie = await testEnv.cookieOf(record.principal)
    const response = await askInbox(origin, `/api/asks/${askId}/answer`, { cookie, body }).catch(() => undefined)
    if (response === undefined || response.status >= 500) continue
    const { status } = response
    testEnv.evidence.inboxAnswers.push({ askId, decisionId, by: record.principal, action, status, isStranger: false })
    return
  }
}

/** Waits until the gateway has recovered, before the next run. Returns its last reply if it has not. */
async function waitForRecovery(testEnv: TestEnv, cell: Cell): Promise<string | undefined> {
  const fromMs = Date.now()
  const isReached = async () => (await inboxReply(testEnv, cell)).startsWith('200 ')
  for (const isBack of [isReached, () => isAdmitted(cell)]) {
    while (!(await isBack())) {
      const { lateMs, heldUpMs } = cell.late({ fromMs, untilMs: Date.now() })
      if (lateMs - heldUpMs > backWithinMs || lateMs > backOnBusyMachineMs) return inboxReply(testEnv, cell)
      await sleep(lookMs)
    }
  }
  return undefined
}

async function inboxReply(testEnv: TestEnv, cell: Cell): Promise<string> {
  const { origin } = new URL(cell.url)
  const cookie = await testEnv.cookieOf(cell.principal)
  const response = await askInbox(origin, '/api/me', { cookie }).catch(String)
  return typeof response === 'string' ? response : `${response.status} ${response.text}`
}
