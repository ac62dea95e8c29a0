// One call of a client of revision 2025-11-25, which waits inside its request while people vote and policies change.

import { connectClient, patientName, type TestClient } from '../../../test-kit/mcp/client.ts'
import { personHeader } from '../../../test-kit/person-header.ts'
import type { SeededRandom } from '../../../test-kit/random.ts'
import type { ToolCall } from './caller.ts'
import { ExpectedAsk, meets } from './expected-ask.ts'
import type { Findings } from './findings.ts'
import { generateArguments, people } from './generate.ts'
import { couldBeMet, type Expectation, expectationOf, type PlainPolicies } from './rules.ts'
import type { TestEnv } from './test-env.ts'
import { Voters } from './voters.ts'

type Reply = 'done' | 'refused' | 'left' | 'waits'

const votesMost = 14
const replyMs = 10_000
const lookAgainMs = 2

/** Events of such a run begin with this. */
export const inSession = '2025-11-25: '

export async function sessionRun(
  env: TestEnv,
  policies: PlainPolicies,
  number: number,
  random: SeededRandom,
): Promise<Findings> {
  const call = { person: random.pick(people), tool: `s${number}`, arguments: generateArguments(random) }
  const gateway = random.pick(env.gateways)
  const to = { url: gateway.url, headers: { [personHeader]: call.person } }
  const client = await connectClient('2025-11-25', to, { name: patientName, elicitation: 'none', timeoutMs: 60_000 })
  const run = new SessionRun(env, policies, call, client, random)
  try {
    await run.play()
  } finally {
    await client.close()
    env.server.forget(call.tool)
    env.raised.length = 0
  }
  return run.findings
}

class SessionRun {
  readonly findings: Findings = { wronglyRun: [], excludedCounted: [], changedBytes: [], differences: [], events: [] }
  readonly #env: TestEnv
  readonly #call: ToolCall
  readonly #client: TestClient
  readonly #random: SeededRandom
  readonly #voters: Voters
  #policies: PlainPolicies

  constructor(env: TestEnv, policies: PlainPolicies, call: ToolCall, client: TestClient, random: SeededRandom) {
    this.#env = env
    this.#policies = policies
    this.#call = call
    this.#client = client
    this.#random = random
    this.#voters = new Voters(env, random, call.person)
  }

  async play(): Promise<void> {
    const { tool, arguments: given } = this.#call
    this.#env.server.define({ name: tool, inputSchema: { type: 'object' } })
    const leaving = new AbortController()
    let reply: Reply = 'waits'
    const answered = this.#client.call(tool, given, { signal: leaving.signal }).then(
      ({ isError }) => {
        reply = isError === true ? 'refused' : 'done'
      },
      () => {
        reply = leaving.signal.aborted ? 'left' : 'refused'
      },
    )
    for (let asks = 1; ; asks++) {
      await this.#until(() => reply !== 'waits' || this.#env.raised.length >= asks)
      const expected = this.#expected()
      if (expected.effect !== 'ask' || !couldBeMet(expected.rule.requirements)) {
        await this.#until(() => reply !== 'waits')
        return this.#ended(expected.effect === 'allow' ? 'allowed' : 'denied', reply, expected.effect === 'allow')
      }
      if (reply !== 'waits' || this.#env.raised.length !== asks)
        return this.#ended('although stricter policies are in force', reply, false, 'waits')
      this.#checkRuns('before its approval', 0)
      const ask = new ExpectedAsk(expected.rule, this.#env.clock.nowMs)
      const end = await this.#decide(ask, this.#env.raised.at(-1)?.id ?? '')
      if (end === 'asked again') continue
      if (end === 'left') leaving.abort()
      await this.#until(() => reply !== 'waits')
      await answered
      return this.#ended(end, reply, end.startsWith('ran'), end === 'left' ? 'left' : undefined)
    }
  }

  /** What should become of the call once these people have voted. */
  async #decide(ask: ExpectedAsk, id: string): Promise<string> {
    let isReloaded = false
    for (let votes = 0; votes < votesMost && ask.end === undefined; votes++) {
      if (!isReloaded && this.#random.next() < 0.2) {
        isReloaded = true
        this.#policies = this.#env.policiesAfter(this.#policies, this.#random)
        await this.#env.reloadMeanwhile(this.#policies)
        this.#note('reloaded')
      }
      const { vote, session } = await this.#voters.choose(ask)
      const { action, hasReason } = vote
      const answer = { action, ...(hasReason ? { comment: 'It was discussed.' } : {}) }
      const result = await this.#env.vote(id, session, answer, this.#random.int(2))
      const expected = ask.vote(vote)
      const found = result === 'counted' || result === 'settled' ? result : 'refused'
      if (found !== expected) this.#differ(`the vote of ${vote.person.name} was ${found}, ${expected} expected`)
    }
    if (ask.end === undefined) return 'left'
    if (ask.end.kind === 'declined') return 'declined'
    const now = this.#expected()
    if (now.effect === 'deny' || (now.effect === 'ask' && !couldBeMet(now.rule.requirements)))
      return 'although it is denied now'
    if (now.effect === 'allow' || JSON.stringify(now.rule) === JSON.stringify(ask.rule)) return 'ran'
    return meets(ask, now.rule, this.#env.clock.nowMs) ? 'ran under other policies' : this.#askedAgain()
  }

  #askedAgain(): string {
    this.#note('asked again')
    return 'asked again'
  }

  #expected(): Expectation {
    return expectationOf(this.#policies, this.#call.arguments.env, this.#call.person)
  }

  #ended(how: string, reply: Reply, isRun: boolean, wanted: Reply = isRun ? 'done' : 'refused'): void {
    this.#note(how)
    if (reply !== wanted) this.#differ(`a call that ${how} was ${reply}, ${wanted} expected`)
    this.#checkRuns(how, isRun ? 1 : 0)
  }

  #checkRuns(when: string, expected: number): void {
    const { tool, arguments: given } = this.#call
    const runs = this.#env.server.runs.get(tool) ?? []
    if (runs.length > expected) this.findings.wronglyRun.push(`${tool} ran ${when}: ${this.#trace()}`)
    if (runs.length < expected) this.#differ(`${tool} did not run`)
    if (runs.some((text) => text !== JSON.stringify(given))) this.findings.changedBytes.push(`${tool}: ${runs}`)
  }

  async #until(isTrue: () => boolean): Promise<void> {
    const endsAt = performance.now() + replyMs
    while (!isTrue() && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }

  #note(event: string): void {
    this.findings.events.push(`${inSession}${event}`)
  }

  #differ(what: string): void {
    this.findings.differences.push(`${what}: ${this.#trace()}`)
  }

  #trace(): string {
    const { person, arguments: given } = this.#call
    return `${inSession}${person} ${JSON.stringify(given)} ${this.findings.events.join(', ')}`
  }
}
