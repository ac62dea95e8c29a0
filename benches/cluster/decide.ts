// Complete decisions, one after the other for each of several people, every request to the next replica.
//
// Answered by the client: the call returns the question and is retried with the answer. Answered in the inbox: the call
// returns a state, its person lists the inbox and accepts, and the call is retried.

import type { Agent } from 'node:http'
import { openQuestion, settleQuestion, type Where, whereTo } from '../relay/client.ts'
import { callForInbox, finish } from './calls.ts'
import { acceptAsk, listAsks } from './person.ts'
import { afterStalls } from './stalls.ts'

export type DecisionWay = 'client' | 'inbox'

export interface Person {
  readonly name: string
  readonly cookie: string
}

export interface Deciding {
  readonly urls: readonly string[]
  readonly way: DecisionWay
  readonly forMs: number
  /** The pause of each person between two decisions. */
  readonly pauseMs?: number
}

export interface Decided {
  readonly count: number
  readonly tookMs: number
  /** The duration of each decision, from the call to its result. */
  readonly lifeMs: readonly number[]
}

export async function decide(
  agent: Agent,
  people: readonly Person[],
  { urls, way, forMs, pauseMs = 0 }: Deciding,
): Promise<Decided> {
  let turn = 0
  const next = () => urls[turn++ % urls.length] ?? ''
  const lifeMs: number[] = []
  const startedAt = performance.now()
  const live = async ({ name, cookie }: Person) => {
    while (performance.now() < startedAt + forMs) {
      const beganAt = performance.now()
      const at = () => whereTo(next(), agent, name)
      await afterStalls(async () => {
        if (way === 'client') await settleQuestion(at(), await openQuestion(at()))
        else await inInbox(agent, at, () => new URL(next()).origin, cookie)
      })
      lifeMs.push(performance.now() - beganAt)
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, 2 * pauseMs * Math.random()))
    }
  }
  await Promise.all(people.map(live))
  return { count: lifeMs.length, tookMs: performance.now() - startedAt, lifeMs }
}

async function inInbox(agent: Agent, at: () => Where, origin: () => string, cookie: string): Promise<void> {
  const waiting = await callForInbox(at())
  const [ask] = await listAsks(agent, origin(), cookie)
  if (ask === undefined) throw new Error('The ask is not in the inbox.')
  await acceptAsk(agent, origin(), cookie, ask.id)
  await finish(at, waiting)
}
