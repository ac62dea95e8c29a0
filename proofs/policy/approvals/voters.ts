// Chooses who votes next and how: people who may, people who may not, and people who have voted.

import type { SeededRandom } from '../../../test-kit/random.ts'
import type { ExpectedAsk, PlainVote } from './expected-ask.ts'
import { people } from './generate.ts'
import { mayVote } from './rules.ts'
import type { Session, TestEnv } from './test-env.ts'

export interface ChosenVote {
  readonly vote: PlainVote
  readonly session: Session
  /** The groups of the session were confirmed too long ago. */
  readonly isStale: boolean
}

export class Voters {
  readonly #env: TestEnv
  readonly #random: SeededRandom
  readonly #requester: string

  constructor(env: TestEnv, random: SeededRandom, requester: string) {
    this.#env = env
    this.#random = random
    this.#requester = requester
  }

  async choose(ask: ExpectedAsk): Promise<ChosenVote> {
    const person = this.#voter(ask)
    let session = await this.#env.sessionOf(person)
    const isStale = this.#env.memberOf(person, session).groups.length < session.groups.length
    if (this.#random.next() < (isStale ? 0.6 : 0.1)) session = await this.#env.signIn(person)
    const vote: PlainVote = {
      person: this.#env.memberOf(person, session),
      action: this.#random.next() < 0.88 ? 'accept' : 'decline',
      hasReason: this.#random.next() < 0.7,
      atMs: this.#env.clock.nowMs,
    }
    return { vote, session, isStale }
  }

  /** Mostly someone who may vote and has not; otherwise anyone, the requester included. */
  #voter(ask: ExpectedAsk): string {
    const roll = this.#random.next()
    if (roll < 0.12) return this.#requester
    const again = [...ask.accepted.map(({ name }) => name), ...ask.declined]
    if (roll < 0.2 && again.length > 0) return this.#random.pick(again)
    const useful = this.#useful(ask)
    return this.#random.pick(roll < 0.88 && useful.length > 0 ? useful : people)
  }

  /** Whether somebody may vote and has not. */
  areLeft(ask: ExpectedAsk): boolean {
    return this.#useful(ask).length > 0
  }

  #useful(ask: ExpectedAsk): string[] {
    return people.filter((name) => {
      const hasVoted = ask.accepted.some((one) => one.name === name) || ask.declined.includes(name)
      return !hasVoted && mayVote(ask.rule.requirements, { name, groups: this.#env.groupsNow(name) })
    })
  }
}
