// One call that needs approval, with random people, votes and changes, compared step by step with what should happen.

import type { JsonObject } from '@assent/core'
import type { SeededRandom } from '../../../test-kit/random.ts'
import { type Reply, send, type ToolCall } from './caller.ts'
import { ExpectedAsk, isSame, meets, type PlainVote, type VoteResult } from './expected-ask.ts'
import type { Findings } from './findings.ts'
import { generateArguments, people } from './generate.ts'
import { couldBeMet, type Expectation, expectationOf, mayVote, type PlainPolicies } from './rules.ts'
import { type Question, questionKey } from './server.ts'
import type { Session, TestEnv } from './test-env.ts'
import { Voters } from './voters.ts'

const minuteMs = 60_000
const nothing: Reply = { kind: 'refused', text: '' }
const steps = 9
/** What the tool of a run asks the client before it runs: nothing, or one of these. */
const questions = [undefined, 'form', 'roots'] as const

export async function runOnce(
  env: TestEnv,
  policies: PlainPolicies,
  number: number,
  random: SeededRandom,
): Promise<Findings> {
  const run = new ApprovalRun(env, policies, number, random)
  await run.play()
  return run.findings
}

class ApprovalRun {
  readonly findings: Findings = { wronglyRun: [], excludedCounted: [], changedBytes: [], differences: [], events: [] }
  readonly #env: TestEnv
  readonly #random: SeededRandom
  readonly #call: ToolCall
  readonly #askIds = new Map<ExpectedAsk, string>()
  readonly #voters: Voters
  readonly #question: Question | undefined
  #policies: PlainPolicies
  #definitions = 1
  /** The definition that the ask was raised for. */
  #askedDefinition = 1
  #hasReloaded = false
  #states: string[] = []
  #ask: ExpectedAsk | undefined
  #ran = 0
  #isOver = false

  constructor(env: TestEnv, policies: PlainPolicies, number: number, random: SeededRandom) {
    this.#env = env
    this.#random = random
    this.#policies = policies
    this.#call = { person: random.pick(people), tool: `t${number}`, arguments: generateArguments(random) }
    this.#voters = new Voters(env, random, this.#call.person)
    this.#question = questions[number % questions.length]
    env.server.define(this.#definition(), this.#question)
    for (const person of people) if (random.next() < 0.2) env.join(person)
  }

  async play(): Promise<void> {
    await this.#begin()
    for (let step = 0; step < steps && !this.#isOver; step++) await this.#step()
    if (!this.#isOver) await this.#retry()
    if (this.#ran > 0) await this.#retryAfterRun()
    await this.#checkVotes()
    this.#env.server.forget(this.#call.tool)
    this.#env.raised.length = 0
  }

  #definition() {
    return { name: this.#call.tool, description: `definition ${this.#definitions}`, inputSchema: { type: 'object' } }
  }

  get #hasChangedDefinition(): boolean {
    return this.#definitions !== this.#askedDefinition
  }

  async #begin(): Promise<void> {
    const expected = this.#expected()
    const reply = await this.#send()
    if (expected.effect === 'ask' && couldBeMet(expected.rule.requirements)) return this.#asked(expected.rule, reply)
    this.#isOver = true
    if (expected.effect === 'allow') {
      this.#ran += 1
      this.#note('allowed')
      this.#expect('an allowed call', reply, 'done')
    } else {
      this.#note(expected.effect === 'deny' ? 'denied' : 'cannot be approved')
      this.#expect('a denied call', reply, 'refused')
    }
    this.#checkRuns('at the start')
  }

  /** The gateway should have raised an ask with this rule. */
  #asked(rule: ExpectedAsk['rule'], reply: Reply): void {
    const id = this.#env.raised.at(-1)?.id
    this.#expect('a call that needs approval', reply, 'waits')
    this.#checkRuns('when approval is needed')
    if (reply.kind !== 'waits' || id === undefined || this.#env.raised.length !== this.#askIds.size + 1) {
      if (reply.kind === 'waits')
        this.#differ(`${this.#env.raised.length} asks raised, ${this.#askIds.size + 1} expected`)
      this.#isOver = true
      return
    }
    this.#states = [reply.state]
    this.#askedDefinition = this.#definitions
    this.#ask = new ExpectedAsk(rule, this.#env.clock.nowMs)
    this.#askIds.set(this.#ask, id)
  }

  async #step(): Promise<void> {
    const roll = this.#random.next()
    const isOpen = this.#ask?.isOpen(this.#env.clock.nowMs) === true
    // Without further voters an ask stays open until it expires.
    if (isOpen && roll < 0.6 && this.#ask !== undefined && !this.#voters.areLeft(this.#ask)) return this.#expire()
    if (!isOpen && this.#random.next() < 0.6) return roll < 0.8 ? this.#retry() : this.#pass()
    if (roll < 0.5) return this.#voteOfOne()
    if (roll < 0.58) return this.#votesAtOnce()
    if (roll < 0.64) return this.#pass()
    if (roll < 0.68) return this.#someoneLeaves()
    if (roll < 0.71) return this.#join()
    if (roll < 0.75) return this.#misuse()
    if (roll < 0.8) return this.#reload()
    if (roll < 0.83) return this.#changeDefinition()
    return this.#retry()
  }

  async #voteOfOne(): Promise<void> {
    const ask = this.#ask
    if (ask === undefined) return
    const { vote, session, isStale } = await this.#voters.choose(ask)
    if (isStale) this.#note('stale groups')
    const result = await this.#cast(ask, vote, session, this.#random.int(2))
    const expected = ask.vote(vote)
    this.#note(`vote ${expected}`)
    if (result !== expected) this.#differ(`the vote of ${vote.person.name} was ${result}, ${expected} expected`)
  }

  /** Two people at two replicas: either vote may be first. */
  async #votesAtOnce(): Promise<void> {
    const ask = this.#ask
    if (ask === undefined) return
    const [first, second] = [await this.#voters.choose(ask), await this.#voters.choose(ask)]
    if (first.vote.person.name === second.vote.person.name) return
    const results = await Promise.all([
      this.#cast(ask, first.vote, first.session, 0),
      this.#cast(ask, second.vote, second.session, 1),
    ])
    const [one, other] = [ask.copy(), ask.copy()]
    const inOrder = [one.vote(first.vote), one.vote(second.vote)]
    const otherSecond = other.vote(second.vote)
    const inOther = [other.vote(first.vote), otherSecond]
    this.#note('votes at once')
    const found = results.join() === inOrder.join() ? first : results.join() === inOther.join() ? second : undefined
    if (found === undefined) this.#differ(`votes at once were ${results}, ${inOrder} or ${inOther} expected`)
    for (const { vote } of found === second ? [second, first] : [first, second]) ask.vote(vote)
  }

  async #cast(
    ask: ExpectedAsk,
    { action, hasReason }: PlainVote,
    session: Session,
    replica: number,
  ): Promise<VoteResult> {
    const answer: JsonObject = { action, ...(hasReason ? { comment: 'It was discussed.' } : {}) }
    const result = await this.#env.vote(this.#askIds.get(ask) ?? '', session, answer, replica)
    return result === 'counted' || result === 'settled' ? result : 'refused'
  }

  #pass(): void {
    const { clock } = this.#env
    const { end, decideByMs = 0, rule } = this.#ask ?? {}
    const deadlineMs = end === undefined ? decideByMs : end.atMs + (rule?.useWithinMs ?? 0)
    const untilMs = Math.max(0, deadlineMs - clock.nowMs)
    clock.nowMs += this.#random.pick([minuteMs, 3 * minuteMs, 16 * minuteMs, Math.max(0, untilMs - 1), untilMs])
    this.#note(clock.nowMs >= deadlineMs ? 'deadline passed' : 'time passed')
  }

  #expire(): void {
    this.#env.clock.nowMs = Math.max(this.#env.clock.nowMs, this.#ask?.decideByMs ?? 0)
    this.#note('deadline passed')
  }

  async #someoneLeaves(): Promise<void> {
    const person = this.#random.pick(people)
    this.#env.leave(person)
    if (this.#random.next() < 0.5) await this.#env.signIn(person)
    this.#note('left the groups')
  }

  /** The same call again: it joins the open ask. */
  async #join(): Promise<void> {
    const ask = this.#ask
    if (ask?.isOpen(this.#env.clock.nowMs) !== true || this.#hasReloaded || this.#hasChangedDefinition) return
    const reply = await this.#send()
    this.#note('joined')
    this.#expect('a call that joins', reply, 'waits')
    if (reply.kind === 'waits') this.#states.push(reply.state)
    if (this.#env.raised.length !== this.#askIds.size) this.#differ('the same call raised another ask')
    this.#checkRuns('after joining')
  }

  /** Somebody else, other arguments or an answer of the client: none of them may run anything. */
  async #misuse(): Promise<void> {
    const requestState = this.#random.pick(this.#states)
    const other = people.find((name) => name !== this.#call.person) ?? ''
    const attempts: readonly (() => Promise<Reply>)[] = [
      () => this.#sendAs({ ...this.#call, person: other }, { requestState }),
      () => this.#sendAs({ ...this.#call, arguments: { ...this.#call.arguments, amount: 1_001 } }, { requestState }),
      () => this.#sendAs({ ...this.#call, arguments: {} }, { requestState }),
      () => this.#sendAs({ ...this.#call, tool: `${this.#call.tool}x` }, { requestState }),
    ]
    const reply = await this.#random.pick(attempts)()
    this.#note('misuse')
    this.#expect('a misused state', reply, 'refused')
    this.#checkRuns('after misuse of a state')
  }

  async #reload(): Promise<void> {
    if (this.#definitions > 1) return
    this.#policies = this.#env.policiesAfter(this.#policies, this.#random)
    this.#hasReloaded = true
    this.#note('reloaded')
    await this.#env.reloadMeanwhile(this.#policies)
  }

  #changeDefinition(): void {
    // What a changed definition means for a call that policies allow is not part of this proof.
    if (this.#hasReloaded) return
    this.#definitions += 1
    this.#env.server.define(this.#definition())
    this.#note('definition changed')
  }

  async #retry(): Promise<void> {
    const ask = this.#ask
    if (ask === undefined) return
    const nowMs = this.#env.clock.nowMs
    const replies = await this.#sendAll()
    if (ask.isOpen(nowMs)) {
      for (const reply of replies) this.#expect('a call that still needs approval', reply, 'waits')
      return this.#checkRuns('before the approval')
    }
    if (ask.end?.kind !== 'approved') {
      this.#isOver = true
      this.#note(ask.end === undefined ? 'expired' : 'declined')
      for (const reply of replies) this.#expect('a call that was not approved', reply, 'refused')
      return this.#checkRuns('without approval')
    }
    return this.#used(ask, replies, this.#expected())
  }

  /** The approval was given: what the policies in force say now decides whether the call runs. */
  #used(ask: ExpectedAsk, replies: readonly Reply[], now: Expectation): void {
    const [reply = nothing] = replies
    const isUsable = ask.isUsable(this.#env.clock.nowMs)
    const couldAsk = now.effect === 'ask' && couldBeMet(now.rule.requirements)
    if (now.effect === 'deny' || (now.effect === 'ask' && !couldAsk)) {
      this.#isOver = true
      this.#note('denied at its use')
      this.#expect('a call that is denied when its approval is used', reply, 'refused')
      return void this.#checkRuns('although it is denied now')
    }
    const isSame = now.effect === 'allow' || JSON.stringify(now.rule) === JSON.stringify(ask.rule)
    const isEnough = now.effect === 'allow' || meets(ask, now.rule, this.#env.clock.nowMs)
    if (!this.#hasChangedDefinition && isEnough) {
      this.#isOver = true
      if (isUsable) this.#ran += 1
      this.#note(isUsable ? (isSame ? 'ran' : 'ran under other policies') : 'used too late')
      for (const one of replies) this.#expect('an approved call', one, isUsable ? 'done' : 'refused')
      return void this.#checkRuns(isUsable ? 'more than once' : 'too late')
    }
    // What a changed definition means for a call that policies allow is not part of this proof.
    if (now.effect === 'allow') return
    this.#note('asked again')
    if (reply.kind === 'waits') return void this.#asked(now.rule, reply)
    this.#isOver = true
    this.#differ(`an approval that does not meet the policies in force was ${reply.kind}, waits expected`)
    this.#checkRuns('although stricter policies are in force')
  }

  /** Every further request gets the outcome of the one run. */
  async #retryAfterRun(): Promise<void> {
    if (this.#states.length === 0) return
    for (const reply of await this.#sendAll()) this.#expect('a retry after the run', reply, 'done')
    this.#checkRuns('a second time')
  }

  async #sendAll(): Promise<Reply[]> {
    const isOnce = this.#random.next() < 0.7
    const states = isOnce ? [this.#random.pick(this.#states)] : [...this.#states, this.#states[0] ?? '']
    const replies = await Promise.all(states.map((requestState, at) => this.#finished(requestState, at)))
    const waiting = replies.find((reply) => reply.kind === 'waits')
    // Requests that were asked again share an ask; one of their states continues the call.
    return waiting === undefined ? replies : [waiting, ...replies.filter((reply) => reply !== waiting)]
  }

  /** While another request runs the round, a retry gets a state to wait with. */
  async #finished(requestState: string, at: number): Promise<Reply> {
    const before = this.#env.raised.length
    const isDecided = this.#ask?.end?.kind === 'approved'
    let reply = await this.#send({ requestState }, at)
    for (
      let tries = 0;
      reply.kind === 'waits' && isDecided && this.#env.raised.length === before && tries < 50;
      tries++
    ) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      reply = await this.#send({ requestState: reply.state }, at)
    }
    return reply
  }

  #send(rounds: JsonObject = {}, at = 0): Promise<Reply> {
    return this.#sendAs(this.#call, rounds, at)
  }

  async #sendAs(call: ToolCall, rounds: JsonObject, at = 0): Promise<Reply> {
    const { gateways } = this.#env
    const gateway = gateways[(this.#random.int(2) + at) % gateways.length]
    const reply = await send(gateway?.url ?? '', call, rounds)
    return reply.kind === 'asked' ? this.#answered(call, reply.state, rounds.requestState !== undefined) : reply
  }

  /** The client answers the server's question. Of an approved call it sends two answers, one to each replica. */
  async #answered(call: ToolCall, requestState: string, isApproved: boolean): Promise<Reply> {
    this.#note('the server asked')
    const gateways = isApproved ? this.#env.gateways : this.#env.gateways.slice(0, 1)
    const replies = await Promise.all(
      gateways.map(({ url }, at) => send(url, call, { requestState, inputResponses: this.#answer(at) })),
    )
    const isOf = (kind: Reply['kind']) => (one: Reply) => one.kind === kind
    return replies.find(isOf('refused')) ?? replies.find(isOf('waits')) ?? replies[0] ?? nothing
  }

  #answer(at: number): JsonObject {
    const answer = this.#question === 'form' ? { action: 'accept', content: { region: `region ${at}` } } : { roots: [] }
    return { [questionKey]: answer }
  }

  #expected(): Expectation {
    return expectationOf(this.#policies, this.#call.arguments.env, this.#call.person)
  }

  #checkRuns(when: string): void {
    const { tool, arguments: given } = this.#call
    const runs = [...(this.#env.server.runs.get(tool) ?? []), ...(this.#env.server.runs.get(`${tool}x`) ?? [])]
    if (runs.length > this.#ran) this.findings.wronglyRun.push(`${tool} ran ${when}: ${this.#trace()}`)
    if (runs.length < this.#ran) this.#differ(`${tool} did not run`)
    if (runs.some((text) => text !== JSON.stringify(given))) this.findings.changedBytes.push(`${tool}: ${runs}`)
    if (runs.length !== this.#ran) this.#isOver = true
  }

  /** The stored votes are those that should count, and none is of an excluded person. */
  async #checkVotes(): Promise<void> {
    for (const [ask, id] of this.#askIds) {
      const stored = await this.#env.store.asks.read('default', id)
      if (stored === undefined) return this.#differ('an ask is missing')
      const { state, votes } = stored
      const counted = state.kind === 'settled' && votes.length === 0 ? [state] : votes
      const accepted = counted.filter(({ answer }) => answer.action === 'accept').map(({ by }) => by)
      for (const name of accepted) {
        const groups = ask.accepted.find((one) => one.name === name)?.groups ?? this.#env.groupsNow(name)
        if (!mayVote(ask.rule.requirements, { name, groups }))
          this.findings.excludedCounted.push(`${name}: ${this.#trace()}`)
      }
      const declined = counted.filter(({ answer }) => answer.action === 'decline').map(({ by }) => by)
      if (
        !isSame(
          accepted,
          ask.accepted.map(({ name }) => name),
        ) ||
        !isSame(declined, ask.declined)
      )
        this.#differ(`counted were ${accepted} and against ${declined}`)
    }
  }

  #expect(what: string, reply: Reply, kind: Reply['kind']): void {
    if (reply.kind === kind) return
    this.#differ(`${what} was ${reply.kind === 'refused' ? reply.text : reply.kind}, ${kind} expected`)
    this.#isOver = true
  }

  #note(event: string): void {
    this.findings.events.push(event)
  }

  #differ(what: string): void {
    this.findings.differences.push(`${what}: ${this.#trace()}`)
  }

  #trace(): string {
    const { person, arguments: given } = this.#call
    return `${person} ${JSON.stringify(given)} ${this.findings.events.join(', ')}; ${JSON.stringify(this.#ask?.rule)}`
  }
}
