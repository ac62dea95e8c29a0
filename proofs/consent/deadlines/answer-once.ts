// One answer near the deadline: a caller asks, a person answers at a moment around the end, and what the asker received is
// compared with what is on record.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownAsk } from '../person.ts'
import { type Reply, textOf } from '../wire-2026-07-28.ts'
import type { Caller, Calling } from './callers.ts'
import { type Combination, isGivenUp, kindOf, longWaitMs, toolWaitMs } from './combinations.ts'
import type { Scene } from './scene.ts'

export interface Attempt {
  readonly combination: Combination
  readonly ticket: string
  /** When the person answers, counted from the moment at which the wait ends. */
  readonly offsetMs: number
  /** The caller's timeout, if it is the one that ends the wait. */
  readonly leavesAfterMs: number
}

export interface Answered {
  /** Undefined if the wait ended before the person saw the card, which happens on a busy machine. */
  readonly record?: ShownAsk['state']
  readonly fault?: string
  readonly askId?: string
}

const missed: Answered = {}

/** How long record and receipt may take to agree: the record of an answer that was not delivered is written afterwards. */
const agreeWithinMs = 60_000
const lookEveryMs = 100
/** No answer is faster: the program behind a gateway rejects an accept within 300 ms and asks again. */
const readsForMs = 350
/** A gateway's timer starts before it raises the ask, which takes a while on a busy machine. */
const slackMs = 400
/** How long a caller with a state waits before it retries: the ask has ended by then, and its call is not abandoned yet. */
const awayMs = 2_000

export async function answerOnce(scene: Scene, attempt: Attempt): Promise<Answered> {
  const { combination, ticket, offsetMs } = attempt
  const { manner } = combination
  const lookout = scene.lookout(combination)
  const calling = begin(scene, attempt)
  const beganAtMs = Date.now()
  const ended = calling.reply.then(() => undefined)
  const ask = await lookout.find(ticket, ended)
  if (ask === undefined) return missed
  await sleep(readsForMs)
  const leaves = isGivenUp(combination) || manner === 'returns'
  const leavesAtMs = Math.min(Date.now() + attempt.leavesAfterMs, ask.decideByMs - 400)
  const endsAtMs = leaves
    ? leavesAtMs
    : manner === 'deferred'
      ? beganAtMs + patienceMs
      : (scene.askers.givesUpAtMs.get(ticket) ?? Number.POSITIVE_INFINITY)
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  if (leaves) void sleepUntil(leavesAtMs).then(() => (isOver ? undefined : calling.leave(manner === 'returns')))
  const answersAtMs = Math.min(endsAtMs, ask.decideByMs) + offsetMs
  const answer = { action: 'accept', content: contentOf(ask, combination) } as const
  const status = await lookout.answerAt(answersAtMs, ask.id, answer)
  const reply = await calling.reply

  const endsLooking = performance.now() + agreeWithinMs
  for (;;) {
    const { state: record } = await lookout.read(ask.id)
    const problem = disagreement(combination, ask, status, record, hasReceived(scene, attempt, reply))
    if (problem === undefined) return { record, askId: ask.id }
    if (performance.now() > endsLooking) {
      const words = `${problem}; answered ${offsetMs} ms from the end with status ${status}; caller got: `
      const got = reply === undefined ? 'nothing' : textOf(reply).slice(0, 200)
      return { record, askId: ask.id, fault: `${words}${got} (${record.what})` }
    }
    await sleep(lookEveryMs)
  }
}

/** An unknown client is assumed to wait for a minute, and gets a reply ten seconds before that. */
const patienceMs = 50_000

function begin(scene: Scene, { combination, ticket }: Attempt): Calling {
  const { place, tool, shorter, manner } = combination
  const caller = scene.caller(combination)
  const name = place === 'alone' ? tool : `${place}__${tool}`
  const staysAwayMs = manner === 'away' ? awayMs : 0
  switch (tool) {
    case 'ask': {
      const waitMs = shorter === 'tool' ? toolWaitMs : longWaitMs
      return caller.call(name, { ticket, waitMs, ...(manner === 'kept' ? { half: '\ud800' } : {}) }, staysAwayMs)
    }
    case 'elicit_confirm':
      return caller.call(name, { question: `Go on with ${ticket}?` }, staysAwayMs)
    case 'request_plan_approval':
      return caller.call(name, { planSummary: `Do ${ticket}`, phaseCount: 1, taskName: ticket }, staysAwayMs)
    case 'onboarding':
      return onboarding(caller, name, ticket)
  }
}

/** The tool ignores the ticket, which is shown on the card with the call. */
function onboarding(caller: Caller, name: string, ticket: string): Calling {
  const approving = caller
    .call(name, { action: 'propose' })
    .reply.then(() => caller.call(name, { action: 'approve', ticket }))
  return {
    reply: approving.then(({ reply }) => reply),
    leave: (onceItCanReturn) => void approving.then(({ leave }) => leave(onceItCanReturn)),
  }
}

function contentOf({ question }: ShownAsk, { tool }: Combination): Readonly<Record<string, unknown>> {
  const fields = question.fields ?? []
  return Object.fromEntries(
    fields.flatMap(({ name, kind, options }): [string, unknown][] => {
      // Onboarding continues after a yes; reset it so that it asks again.
      if (kind === 'boolean') return [[name, tool !== 'onboarding']]
      return kind === 'choice' ? [[name, options?.[0]?.value]] : []
    }),
  )
}

function hasReceived({ askers, project }: Scene, { combination, ticket }: Attempt, reply: Reply | undefined): boolean {
  const data = (reply?.result?.structuredContent ?? {}) as Record<string, unknown>
  switch (combination.tool) {
    case 'ask':
      return askers.received.get(ticket) === 'accept'
    case 'elicit_confirm':
      return data.confirmed === true
    case 'onboarding':
      return data.status === 'declined'
    case 'request_plan_approval': {
      const file = join(project(combination), 'plans', `${ticket.replace(/-$/, '')}-complete.md`)
      return data.decision === 'approve' || (existsSync(file) && readFileSync(file, 'utf8').includes('Plan approved'))
    }
  }
}

/** How the record differs from what happened; undefined if it does not. */
function disagreement(
  combination: Combination,
  ask: ShownAsk,
  status: number,
  record: ShownAsk['state'],
  hasAnswer: boolean,
): string | undefined {
  const isSettled = record.kind === 'settled'
  const isUndelivered = record.isUndelivered === true
  if (record.kind === 'open') return 'the ask is still open'
  if (isSettled && !isUndelivered && !hasAnswer) return 'recorded as accepted, but the asker did not receive it'
  if (isUndelivered && hasAnswer) return 'recorded as not delivered, but the asker received it'
  if (!isSettled && hasAnswer) return `the asker received an answer that is recorded as ${record.kind}`
  // For our own askers only the store's clock ends the wait, as long as their caller stays connected.
  if (kindOf(combination) !== 'other servers' && !isGivenUp(combination)) {
    if (isUndelivered) return 'recorded as not delivered, although the asker still waited by the shown deadline'
    if (record.kind === 'withdrawn' && (record.atMs ?? 0) < ask.decideByMs - slackMs)
      return 'withdrawn before the deadline that was shown'
  }
  if ((status === 200) !== isSettled) return `the person got the status ${status}, but the record is ${record.kind}`
  return undefined
}

async function sleepUntil(atMs: number): Promise<void> {
  await sleep(Math.max(0, atMs - Date.now()))
}
