// Runs the suite on our fixture server with one revision, directly and by every route through the gateway.
//
// A server and a gateway are started for each route and closed after it, so that runs do not affect each other. The rule:
// through the gateway every check must have the same result as directly.
import { type Choice, type Score, serverScenarios } from './choice.ts'
import { intendedReason } from './intended.ts'
import { describe, table } from './report.ts'
import { startFixtureServer } from './server.ts'
import { type Revision, runServerScenario, runServerSet } from './suite.ts'
import { type Check, differences, passed, type Verdicts } from './verdicts.ts'

export interface ServerJudgement {
  readonly score: Score
  readonly differing: number
  readonly lines: readonly string[]
}

interface Way {
  readonly title: string
  readonly speaksNewest: boolean
  readonly throughGateway: boolean
}

const DIRECTLY: Way = { title: 'directly', speaksNewest: true, throughGateway: false }
const TO_BOTH: Way = { title: 'through the gateway', speaksNewest: true, throughGateway: true }
const TO_OLD: Way = { title: 'through it to a 2025-only server', speaksNewest: false, throughGateway: true }

/**
 * A gateway uses the newest revision available, so without a server that lacks it the older revision would never be used
 * on both sides.
 */
const WAYS: Readonly<Record<Revision, readonly Way[]>> = { '2026-07-28': [TO_BOTH], '2025-11-25': [TO_BOTH, TO_OLD] }

/** A scenario counts as passed if it passes by every route. */
export async function judgeServer(choice: Choice, revision: Revision): Promise<ServerJudgement> {
  const required = (await serverScenarios(revision)).filter((name) => choice.includes(name))
  if (required.length === 0) return { score: { reached: 0, wanted: 0 }, differing: 0, lines: [] }

  const ways = choice.direct ? [] : WAYS[revision]
  const direct = await verdictsBy(DIRECTLY, choice, revision, required)
  const through: Verdicts[] = []
  const different: (readonly string[])[] = []
  let differing = 0
  for (const way of ways) {
    const verdicts = await verdictsBy(way, choice, revision, required)
    through.push(verdicts)
    for (const difference of differences(direct, verdicts)) {
      const reason = intendedReason(difference)
      if (reason === undefined) differing += 1
      different.push(describe(difference, way.title, reason))
    }
  }

  const judged = choice.direct ? [direct] : through
  const reached = required.filter((name) => judged.every((verdicts) => passed(verdicts.get(name)))).length
  return {
    score: { reached, wanted: required.length },
    differing,
    lines: [
      `\n${revision}, server scenarios: ${[DIRECTLY, ...ways].map(({ title }) => title).join(', ')}`,
      ...table([direct, ...through], required),
      ...different.flat(),
    ],
  }
}

async function verdictsBy(way: Way, choice: Choice, revision: Revision, names: readonly string[]): Promise<Verdicts> {
  const fixture = await startFixtureServer(way)
  const gateway = way.throughGateway ? await openGatewayTo(fixture.url) : undefined
  const { url } = gateway ?? fixture
  try {
    return choice.whole ? (await runServerSet(url, revision)).verdicts : await oneByOne(url, revision, names)
  } finally {
    await gateway?.close()
    await fixture.close()
  }
}

async function oneByOne(url: string, revision: Revision, names: readonly string[]): Promise<Verdicts> {
  const verdicts = new Map<string, readonly Check[]>()
  for (const name of names) {
    const run = await runServerScenario(url, revision, name)
    for (const [scenario, checks] of run.verdicts) verdicts.set(scenario, checks)
  }
  return verdicts
}

async function openGatewayTo(url: string) {
  // Loaded only when needed: the direct form must work while the gateway does not.
  const { openGateway } = await import('./gateway.ts')
  return openGateway('fixture', url)
}
