// Many runs in several test environments at once, and the search for planted bugs.

import { type SeededRandom, seededRandom } from '../../../test-kit/random.ts'
import type { ApprovalBug } from './bugs.ts'
import type { Findings } from './findings.ts'
import { generatePolicies } from './generate.ts'
import { runOnce } from './one-run.ts'
import { TestEnv } from './test-env.ts'

/** Runs under one set of policies, and in one environment before a new one is opened. */
const runsPerPolicies = 20
const runsPerEnv = 500
/** Environments at once: while one waits for a timer, others run. */
const together = 4

class ApprovalTally {
  runs = 0
  wronglyRun = 0
  excludedCounted = 0
  changedBytes = 0
  differences = 0
  readonly events = new Map<string, number>()

  add(found: Findings): void {
    this.runs += 1
    this.wronglyRun += found.wronglyRun.length
    this.excludedCounted += found.excludedCounted.length
    this.changedBytes += found.changedBytes.length
    this.differences += found.differences.length
    for (const event of found.events) this.events.set(event, (this.events.get(event) ?? 0) + 1)
  }

  get failures(): number {
    return this.wronglyRun + this.excludedCounted + this.changedBytes + this.differences
  }
}

type RunOne = typeof runOnce

/** @param runOne how the client calls: by default one of revision 2026-07-28, which sends its call again */
export async function approvalRuns(seed: number, count: number, runOne: RunOne = runOnce): Promise<ApprovalTally> {
  const tally = new ApprovalTally()
  let started = 0
  const perEnv = Math.min(runsPerEnv, Math.ceil(count / together))
  const work = async () => {
    while (started < count) {
      const first = started
      started += Math.min(perEnv, count - first)
      const add = (found: Findings) => {
        tally.add(found)
        if (tally.failures > 0 && tally.failures <= 5) show(found)
      }
      await runsInOneEnv(seed + first, first, started, add, runOne)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return tally
}

/** The names of the planted bugs that no run found. */
export async function missedBugs(
  seed: number,
  most: number,
  runOne: RunOne,
  bugs: readonly ApprovalBug[],
): Promise<string[]> {
  const missed: string[] = []
  for (const bug of bugs) {
    const found = await runsUntilFound(seed, most, bug, runOne)
    if (found === undefined) missed.push(bug.name)
    else console.log(`policy: found after ${found} runs: ${bug.name}`)
  }
  return missed
}

async function runsUntilFound(
  seed: number,
  most: number,
  bug: ApprovalBug,
  runOne: RunOne,
): Promise<number | undefined> {
  const restore = bug.plant?.()
  let [runs, isFound] = [0, false]
  const look = (found: Findings) => {
    runs += 1
    isFound ||= textsOf(found).some((text) => bug.finds.test(text))
  }
  try {
    await runsInOneEnv(seed, 0, most, look, runOne, bug, () => isFound)
  } finally {
    restore?.()
  }
  return isFound ? runs : undefined
}

async function runsInOneEnv(
  seed: number,
  first: number,
  end: number,
  onFound: (found: Findings) => void,
  runOne: RunOne,
  bug?: ApprovalBug,
  isOver: () => boolean = () => false,
): Promise<void> {
  const random: SeededRandom = seededRandom(seed)
  const env = await TestEnv.open(random, bug)
  try {
    const next = () => {
      const generated = generatePolicies(random)
      return bug?.early?.policies?.(generated) ?? generated
    }
    let policies = next()
    let isInForce = false
    for (let number = first; number < end && !isOver(); number++) {
      if (number > first && (number - first) % runsPerPolicies === 0) {
        policies = next()
        isInForce = false
      }
      if (!isInForce) await env.reload(policies)
      const found = await runOne(env, policies, number, random)
      isInForce = !found.events.some((event) => event.endsWith('reloaded'))
      onFound(found)
    }
  } finally {
    await env.close()
  }
}

function show(found: Findings): void {
  for (const text of textsOf(found)) console.log(`policy: ${text}`)
}

/** All findings, each with its kind. */
function textsOf({ events: _, ...found }: Findings): string[] {
  return Object.entries(found).flatMap(([kind, texts]) => texts.map((text: string) => `${kind}: ${text}`))
}
