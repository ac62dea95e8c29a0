// Many calls that wait for people without a connection, and finishing a few of them.

import type { Agent } from 'node:http'
import { type OpenQuestion, openQuestion, settleQuestion, whereTo } from '../relay/client.ts'
import { callForInbox, finish, type Waiting } from './calls.ts'
import type { Person } from './decide.ts'
import { acceptAsk, listAsks } from './person.ts'
import { afterStalls } from './stalls.ts'

export interface Opening {
  readonly urls: readonly string[]
  readonly count: number
  readonly people: number
  /** How many of the last calls to keep for continuing them. */
  readonly keep: number
}

/** The state to continue a call: with an answer from the client, or after one in the inbox. */
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
  /** For calls answered in the inbox and for calls answered by the client. */
  readonly resumeMs: readonly number[]
}

const atOnce = 32

export function personNamed(n: number): string {
  return `person-${n}`
}

/** Opens `count` calls of `people` people in turn, alternating between client and inbox, and between the replicas. */
export async function openMany(agent: Agent, { urls, count, people, keep }: Opening): Promise<{ kept: Kept[] }> {
  const kept: Kept[] = []
  let begun = 0
  const caller = async () => {
    while (begun < count) {
      const n = begun++
      // Counted from the end, so that the last calls belong to the first people, who are signed in.
      const person = personNamed(Math.floor((count - 1 - n) / 2) % people)
      const where = whereTo(urls[Math.floor(n / 2) % urls.length] ?? '', agent, person)
      const one = await afterStalls(
        async (): Promise<Kept> =>
          n % 2 === 0
            ? { person, asked: 'client', question: await openQuestion(where) }
            : { person, asked: 'inbox', waiting: await callForInbox(where) },
      )
      if (n >= count - keep) kept.push(one)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return { kept }
}

/** Answers and continues each of these, every step at another replica. */
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
    if (ask === undefined) throw new Error(`The ask for ${one.person} is not in the inbox.`)
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
