// Many calls that wait for people while nobody is connected, and what becomes of a few of them.

import type { Agent } from 'node:http'
import { callForInbox, finish, type Waiting } from './fleet-calls.part.ts'
import type { Person } from './fleet-decide.part.ts'
import { acceptAsk, listAsks } from './fleet-person.part.ts'
import { whereTo } from './relay-client.part.ts'

export interface Opening {
  readonly urls: readonly string[]
  readonly count: number
  readonly people: number
  /** Of the last ones, what it takes to continue them. */
  readonly keep: number
}

export interface Kept extends Waiting {
  readonly person: string
}

export interface Picking {
  readonly urls: readonly string[]
  readonly kept: readonly Kept[]
}

export interface Picked {
  readonly listMs: readonly number[]
  readonly answerMs: readonly number[]
  readonly resumeMs: readonly number[]
}

const atOnce = 32

export function personNamed(n: number): string {
  return `person-${n}`
}

/** Opens so many, by that many people in turn, at one replica after the other. */
export async function openMany(agent: Agent, { urls, count, people, keep }: Opening): Promise<{ kept: Kept[] }> {
  const kept: Kept[] = []
  let begun = 0
  const caller = async () => {
    while (begun < count) {
      const n = begun++
      // Counted from the end, so that the last ones belong to the first people, who are signed in.
      const person = personNamed((count - 1 - n) % people)
      const waiting = await callForInbox(whereTo(urls[n % urls.length] ?? '', agent, person))
      if (n >= count - keep) kept.push({ person, ...waiting })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return { kept }
}

/** Has each of these listed, answered and continued, all three at different replicas. */
export async function pickSome(agent: Agent, people: readonly Person[], { urls, kept }: Picking): Promise<Picked> {
  const picked = { listMs: [] as number[], answerMs: [] as number[], resumeMs: [] as number[] }
  let turn = 0
  const next = () => urls[turn++ % urls.length] ?? ''
  for (const waiting of kept) {
    const cookie = people.find(({ name }) => name === waiting.person)?.cookie
    if (cookie === undefined) throw new Error(`${waiting.person} is not signed in.`)
    const asks = await timed(picked.listMs, () => listAsks(agent, new URL(next()).origin, cookie))
    const ask = asks.find(({ headline }) => headline.includes(` ${waiting.build} `))
    if (ask === undefined) throw new Error(`What waits for ${waiting.person} is not in the inbox.`)
    await timed(picked.answerMs, () => acceptAsk(agent, new URL(next()).origin, cookie, ask.id))
    await timed(picked.resumeMs, () => finish(() => whereTo(next(), agent, waiting.person), waiting))
  }
  return picked
}

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const done = await work()
  into.push(performance.now() - startedAt)
  return done
}
