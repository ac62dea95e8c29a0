// From a person's answer at one replica to the caller that is held at another: how long until each of them knows.
//
// A caller waits at the first replica of a pair, its person answers at the second, after a while that is spread evenly over
// the time between two polls. All pairs are used at once, each by as many, so that the machine's moods fall on all of them.

import type { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { callAndWait, openSession } from './fleet-calls.part.ts'
import type { Person } from './fleet-decide.part.ts'
import { acceptAsk, type Listed, listAsks } from './fleet-person.part.ts'
import { whereTo } from './relay-client.part.ts'
import { randomFrom } from './relay-latency.part.ts'
import { type Generation, generations, type Message, machineMs, releasedAtMs } from './relay-words.part.ts'

export interface Pair {
  /** What wakes the one that waits. */
  readonly wake: string
  readonly heldAt: string
  readonly answeredAt: string
}

export interface Resuming {
  readonly pairs: readonly Pair[]
  readonly forMs: number
  /** People take so long at most. */
  readonly thinkMs: number
  readonly seed: number
}

/** All from the moment at which the person's answer was sent. */
export interface Resumed {
  readonly wake: string
  readonly client: Generation
  readonly acknowledgedMs: number
  readonly continuedMs: number
  readonly heardMs: number
}

/** Each person is always at the same pair, with a client of the same revision. */
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
    if (pair === undefined || client === undefined) throw new Error('There is nobody to wait at.')
    const call = await callerAt(agent, pair.heldAt, person, client)
    const samples: Resumed[] = []
    // Not all at once: each begins somewhere else in the poll.
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
  thinksMs: number,
): Promise<Omit<Resumed, 'wake' | 'client'>> {
  const heard = call().then((reply) => ({ reply, heardAt: machineMs() }))
  const { origin } = new URL(answeredAt)
  const ask = await Promise.race([whatWaits(agent, origin, cookie), failed(heard)])
  await sleep(thinksMs)
  const sentAt = machineMs()
  await acceptAsk(agent, origin, cookie, ask.id)
  const acknowledgedMs = machineMs() - sentAt
  const { reply, heardAt } = await heard
  return { acknowledgedMs, continuedMs: releasedAtMs(reply) - sentAt, heardMs: heardAt - sentAt }
}

async function whatWaits(agent: Agent, origin: string, cookie: string): Promise<Listed> {
  for (;;) {
    const [ask] = await listAsks(agent, origin, cookie)
    if (ask !== undefined) return ask
    await sleep(10)
  }
}

/** A call that ends before anybody answered has gone wrong. */
async function failed(heard: Promise<unknown>): Promise<never> {
  await heard
  throw new Error('A call was finished that nobody had agreed to.')
}
