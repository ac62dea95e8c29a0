// Many calls that wait for people while nobody is connected, and what becomes of a few of them.

import type { Agent } from 'node:http'
import { callForInbox, finish, type Waiting } from './fleet-calls.part.ts'
import type { Person } from './fleet-decide.part.ts'
import { acceptAsk, listAsks } from './fleet-person.part.ts'
import { type OpenQuestion, openQuestion, settleQuestion, whereTo } from './relay-client.part.ts'

export interface Opening {
  readonly urls: readonly string[]
  readonly count: number
  readonly people: number
  /** Of the last ones, what it takes to continue them. */
  readonly keep: number
}

/** What it takes to continue one: with an answer that the client brings, or with one that was given in the inbox. */
export type Kept = { readonly person: string } & (
  | { readonly asked: 'client'; readonly question: OpenQuestion }
  | { readonly asked: 'inbox'; readonly waiting: Waiting }
)

export interface Picking {
  readonly urls: readonly string[]
  readonly kept: readonly Kept[]
}

export interface Picked {
  readonly listMs: readonly number[]
  readonly answerMs: readonly number[]
  /** Of those in the inbox and of those with the client. */
  readonly resumeMs: readonly number[]
}

const atOnce = 32

export function personNamed(n: number): string {
  return `person-${n}`
}

/** Opens so many, by that many people in turn, one at the client and the next in the inbox, at one replica after the other. */
export async function openMany(agent: Agent, { urls, count, people, keep }: Opening): Promise<{ kept: Kept[] }> {
  const kept: Kept[] = []
  let begun = 0
  const caller = async () => {
    while (begun < count) {
      const n = begun++
      // Counted from the end, so that the last ones belong to the first people, who are signed in.
      const person = personNamed(Math.floor((count - 1 - n) / 2) % people)
      const where = whereTo(urls[Math.floor(n / 2) % urls.length] ?? '', agent, person)
      const one: Kept =
        n % 2 === 0
          ? { person, asked: 'client', question: await openQuestion(where) }
          : { person, asked: 'inbox', waiting: await callForInbox(where) }
      if (n >= count - keep) kept.push(one)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return { kept }
}

/** Has each of these answered and continued, every step at another replica. */
export async function pickSome(agent: Agent, people: readonly Person[], { urls, kept }: Picking): Promise<Picked> {
  const picked = { listMs: [] as number[], answerMs: [] as number[], resumeMs: [] as number[] }
  let turn = 0
  const next = () => urls[turn++ % urls.length] ?? ''
  for (const one of kept) {
    const at = () => whereTo(next(), agent, one.person)
    if (one.asked === 'client') {
      await timed(picked.resumeMs, () => settleQuestion(at(), one.question))
      continue
    }
    const cookie = people.find(({ name }) => name === one.person)?.cookie
    if (cookie === undefined) throw new Error(`${one.person} is not signed in.`)
    const asks = await timed(picked.listMs, () => listAsks(agent, new URL(next()).origin, cookie))
    const ask = asks.find(({ headline }) => headline.includes(` ${one.waiting.build} `))
    if (ask === undefined) throw new Error(`What waits for ${one.person} is not in the inbox.`)
    await timed(picked.answerMs, () => acceptAsk(agent, new URL(next()).origin, cookie, ask.id))
    await timed(picked.resumeMs, () => finish(at, one.waiting))
  }
  return picked
}

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const done = await work()
  into.push(performance.now() - startedAt)
  return done
}
