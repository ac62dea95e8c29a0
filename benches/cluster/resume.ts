// The time from a person's answer at one replica to the reply for the caller that waits at another.
//
// A caller waits at the first replica of a pair; its person answers at the second, after a time that is spread evenly over
// the poll interval. All pairs are used at once and equally, so that changes in the machine's load affect all of them.

import type { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { whereTo } from '../relay/client.ts'
import { randomFrom } from '../relay/latency.ts'
import { type Generation, generations, type Message, machineMs, releasedAtMs } from '../relay/words.ts'
import { callAndWait, openSession } from './calls.ts'
import type { Person } from './decide.ts'
import { acceptAsk, type Listed, listAsks } from './person.ts'

export interface Pair {
  /** How the waiting replica is notified. */
  readonly wake: string
  readonly heldAt: string
  readonly answeredAt: string
}

export interface Resuming {
  readonly pairs: readonly Pair[]
  readonly forMs: number
  /** The longest time a person takes. */
  readonly thinkMs: number
  readonly seed: number
}

/** All times are from the sending of the person's answer. */
export interface Resumed {
  readonly wake: string
  readonly client: Generation
  readonly acknowledgedMs: number
  readonly continuedMs: number
  readonly receivedMs: number
}

/** Each person always uses the same pair and a client of the same revision. */
export async function resume(
  agent: Agent,
  people: readonly Person[],
  { pairs, forMs, thinkMs, seed }: Resuming,
): Promise<Resumed[]> {
  const random = randomFrom(seed)
  const endsAt = machineMs() + forMs
  const lanes = people.map(async (person, index) => {
    const pair = pairs[index % pairs.length]
    const client = generations[Math.floor(index / pairs.length) % generations.length]
    if (pair === undefined || client === undefined) throw new Error('There is no pair to wait at.')
    const call = await callerAt(agent, pair.heldAt, person, client)
    const samples: Resumed[] = []
    // Staggered, so that they start at different points of the poll interval.
    await sleep(random() * thinkMs)
    while (machineMs() < endsAt) {
      samples.push({ wake: pair.wake, client, ...(await answerOnce(agent, pair, person, call, random() * thinkMs)) })
    }
    return samples
  })
  return (await Promise.all(lanes)).flat()
}

async function callerAt(agent: Agent, url: string, { name }: Person, client: Generation) {
  const where = whereTo(url, agent, name)
  return client === '2025-11-25' ? openSession(where) : () => callAndWait(where)
}

async function answerOnce(
  agent: Agent,
  { answeredAt }: Pair,
  { cookie }: Person,
  call: () => Promise<Message>,
  answersAfterMs: number,
): Promise<Omit<Resumed, 'wake' | 'client'>> {
  const received = call().then((reply) => ({ reply, receivedAt: machineMs() }))
  const { origin } = new URL(answeredAt)
  const ask = await Promise.race([nextAsk(agent, origin, cookie), rejectWhenEnded(received)])
  await sleep(answersAfterMs)
  const sentAt = machineMs()
  await acceptAsk(agent, origin, cookie, ask.id)
  const acknowledgedMs = machineMs() - sentAt
  const { reply, receivedAt } = await received
  return { acknowledgedMs, continuedMs: releasedAtMs(reply) - sentAt, receivedMs: receivedAt - sentAt }
}

async function nextAsk(agent: Agent, origin: string, cookie: string): Promise<Listed> {
  for (;;) {
    const [ask] = await listAsks(agent, origin, cookie)
    if (ask !== undefined) return ask
    await sleep(10)
  }
}

/** A call that ends before the answer is an error. */
async function rejectWhenEnded(received: Promise<unknown>): Promise<never> {
  await received
  throw new Error('A call finished without an approval.')
}
