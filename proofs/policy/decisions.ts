// Decisions of generated policies about generated calls, compared with a second evaluator.

import { Policies, type PolicyCall, type PolicyDecision, type PolicySettings } from '@assent/policy'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { type Expected, evaluate } from './evaluate.ts'
import { generateCall, generateSettings } from './generate.ts'
import { type PlantedMistake, plantedMistakes } from './planted.ts'

export interface DecisionTally {
  readonly sets: number
  readonly calls: number
  readonly differences: number
  /** How often each effect was expected. */
  readonly effects: Readonly<Record<string, number>>
  /** Calls that were not allowed although a tool was never to be listed, or the other way round. */
  readonly wronglyHidden: number
  readonly hidden: number
}

export async function compareDecisions(seed: number, sets: number, callsPerSet: number): Promise<DecisionTally> {
  const random = seededRandom(seed)
  const effects: Record<string, number> = {}
  let [calls, differences, hidden, wronglyHidden] = [0, 0, 0, 0]
  for (let set = 0; set < sets; set++) {
    const settings = generateSettings(random)
    const policies = await opened(settings)
    for (let index = 0; index < callsPerSet; index++) {
      const call = generateCall(random, settings)
      const expected = evaluate(settings, call)
      const decision = policies.decide(call)
      calls += 1
      const effect = expected.because ?? expected.effect
      effects[effect] = (effects[effect] ?? 0) + 1
      if (!isEqual(decision, expected)) {
        differences += 1
        if (differences <= 3) show(settings, call, expected, decision)
      }
      if (policies.neverAllowed(call.person, call)) {
        hidden += 1
        if (expected.effect !== 'deny') wronglyHidden += 1
      }
    }
  }
  return { sets, calls, differences, effects, hidden, wronglyHidden }
}

/** The names of the planted mistakes that no comparison found. */
export async function missedMistakes(seed: number, sets: number, callsPerSet: number): Promise<string[]> {
  const missed: string[] = []
  for (const mistake of plantedMistakes) {
    if (!(await isFound(mistake, seededRandom(seed), sets, callsPerSet))) missed.push(mistake.name)
  }
  return missed
}

async function isFound(
  { settings: changeSettings, call: changeCall, decision: changeDecision }: PlantedMistake,
  random: SeededRandom,
  sets: number,
  callsPerSet: number,
): Promise<boolean> {
  for (let set = 0; set < sets; set++) {
    const settings = generateSettings(random)
    const policies = await opened(changeSettings?.(settings) ?? settings)
    for (let index = 0; index < callsPerSet; index++) {
      const call = generateCall(random, settings)
      const decision = policies.decide(changeCall?.(call) ?? call)
      if (!isEqual(changeDecision?.(decision) ?? decision, evaluate(settings, call))) return true
    }
  }
  return false
}

async function opened(settings: PolicySettings): Promise<Policies> {
  const policies = await Policies.open(settings)
  if (!(policies instanceof Policies)) throw new Error(`Generated policies are refused: ${JSON.stringify(policies)}`)
  return policies
}

function isEqual(decision: PolicyDecision, expected: Expected): boolean {
  const asks = decision.effect === 'ask' ? decision.asks.map(({ policy }) => policy) : []
  return (
    decision.effect === expected.effect &&
    (decision.effect === 'deny' ? decision.because : undefined) === expected.because &&
    sameNames(decision.policies, expected.policies) &&
    sameNames(asks, expected.asks)
  )
}

function sameNames(found: readonly string[], expected: readonly string[]): boolean {
  return [...found].sort().join() === expected.join()
}

function show(settings: PolicySettings, call: PolicyCall, expected: Expected, decision: PolicyDecision): void {
  const policies = settings.shortForm.map(({ policy }) => policy).filter(({ kind }) => kind === call.kind)
  console.log(`policy: different: ${JSON.stringify({ policies, call, expected, decision }).slice(0, 4_000)}`)
}
