// Calls about which a policy cannot decide: an argument is missing or cannot be represented, or a Cedar policy fails. None of them
// may run.

import type { JsonObject, JsonValue } from '@assent/core'
import { Policies, type PolicyCall, type PolicyDecision, type PolicySettings, type ShortPolicy } from '@assent/policy'
import type { PolicyDecider } from '../../../packages/gateway/src/call/policy/policy-gate.ts'
import { aShortPolicy } from '../../../test-kit/policy/short-policy.ts'
import { type SeededRandom, seededRandom } from '../../../test-kit/random.ts'
import { hostileValue } from '../generate.ts'
import { send } from './caller.ts'
import { changed } from './changed.ts'
import { TestEnv } from './test-env.ts'

export interface FaultTally {
  readonly calls: number
  readonly allowed: number
  /** By kind of fault. */
  readonly kinds: ReadonlyMap<string, number>
}

interface Fault {
  readonly kind: string
  readonly decider: PolicyDecider
  readonly arguments: JsonObject
}

const allowAll = aShortPolicy('everything else', 'allow')
const approval = { ask: { ask: '2 of group:release', exclude: 'requester' } } as const
const inProduction: ShortPolicy['when'] = [{ path: ['env'], comparison: { is: 'text', anyOf: ['production'] } }]
const expensive: ShortPolicy['when'] = [{ path: ['pay', 'amount'], comparison: { is: 'above', number: 100 } }]

/** Each alone lets a call run only if its condition can be evaluated. */
const policies: readonly (readonly ShortPolicy[])[] = [inProduction, expensive].flatMap((when) => [
  [allowAll, aShortPolicy('denies', 'deny', { when })],
  [allowAll, aShortPolicy('asks', approval, { when })],
  [aShortPolicy('allows', 'allow', { when })],
])

const cedarTexts = [
  '@id("denies") forbid (principal, action == Action::"tools/call", resource) when { context.args.env > 5 };',
  '@id("denies") forbid (principal, action == Action::"tools/call", resource) when { context.args.nosuch == 1 };',
  '@id("denies") forbid (principal, action == Action::"tools/call", resource) when { decimal(context.args.env).greaterThan(decimal("1.0")) };',
]

export async function faultRuns(
  seed: number,
  calls: number,
  plant: (decider: PolicyDecider) => PolicyDecider = (decider) => decider,
  isShown = true,
): Promise<FaultTally> {
  const random = seededRandom(seed)
  const env = await TestEnv.open(random)
  const kinds = new Map<string, number>()
  let allowed = 0
  try {
    const sources = await deciders()
    for (let call = 0; call < calls; call++) {
      const { kind, decider, arguments: args } = generateFault(random, sources)
      const tool = `t${call}`
      env.server.define({ name: tool, inputSchema: { type: 'object' } })
      env.use(plant(decider))
      await send(env.gateways[0]?.url ?? '', { person: 'ann', tool, arguments: args })
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      if (env.server.runs.has(tool)) allowed += 1
      if (env.server.runs.has(tool) && isShown && allowed <= 3)
        console.log(`policy: ran: ${kind} ${JSON.stringify(args).slice(0, 500)}`)
      env.server.forget(tool)
    }
  } finally {
    await env.close()
  }
  return { calls, allowed, kinds }
}

interface Deciders {
  readonly short: readonly PolicyDecider[]
  readonly cedar: readonly PolicyDecider[]
}

async function deciders(): Promise<Deciders> {
  return {
    short: await Promise.all(policies.map((all) => open({ shortForm: placed(all) }))),
    cedar: await Promise.all(
      cedarTexts.map((text) => open({ shortForm: placed([allowAll]), cedarFiles: [{ file: 'proof.cedar', text }] })),
    ),
  }
}

async function open(settings: Partial<PolicySettings>): Promise<Policies> {
  const opened = await Policies.open({ shortForm: [], cedarFiles: [], groups: {}, timeZone: 'UTC', ...settings })
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

function placed(all: readonly ShortPolicy[]): PolicySettings['shortForm'] {
  return all.map((policy, index) => ({ policy, place: { line: index + 1, column: 1 } }))
}

function generateFault(random: SeededRandom, { short, cedar }: Deciders): Fault {
  if (random.next() < 0.2)
    return { kind: 'a Cedar policy fails', decider: random.pick(cedar), arguments: { env: 'test' } }
  const at = random.int(short.length)
  const isAmount = at >= short.length / 2
  const given = random.pick<[string, JsonValue | undefined]>([
    ['missing', undefined],
    ['null', null],
    ['of another type', isAmount ? '500' : 5],
    ['unrepresentable', unfit(random, isAmount)],
    ['unrepresentable', unfit(random, isAmount)],
    ['unrepresentable', unfit(random, isAmount)],
  ])
  const [kind, value] = given
  const inner: JsonObject = value === undefined ? {} : { amount: value }
  const outer: JsonObject = value === undefined ? {} : { env: value }
  const args = isAmount ? { pay: inner } : outer
  return { kind: `an argument is ${kind}`, decider: short[at] as PolicyDecider, arguments: args }
}

/** A value that the condition cannot be compared with. */
function unfit(random: SeededRandom, isAmount: boolean): JsonValue {
  for (;;) {
    const value = hostileValue(random)
    // These can be compared.
    const isText = typeof value === 'string' && value.isWellFormed() && value.length <= 65_536
    const isNumber = typeof value === 'number' && Math.abs(value) < 1e11 && Number(value.toFixed(4)) === value
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
    if (isAmount ? !isNumber && !isWhole : !isText) return value
  }
}

interface FaultBug {
  readonly name: string
  readonly plant: (decider: PolicyDecider) => PolicyDecider
}

const allowed: PolicyDecision = { effect: 'allow', policies: [], errors: [] }
const deciding = (change: (decision: PolicyDecision) => PolicyDecision) => (decider: PolicyDecider) =>
  changed(decider, {
    decide: (call: PolicyCall) => change(decider.decide(call)),
  })

export const faultBugs: readonly FaultBug[] = [
  {
    name: 'a policy that denies and fails is skipped',
    plant: deciding((decision) => (decision.effect === 'deny' && decision.because === 'failed' ? allowed : decision)),
  },
  {
    name: 'a policy that asks and fails is skipped',
    plant: deciding((decision) => (decision.effect === 'ask' && decision.errors.length > 0 ? allowed : decision)),
  },
  {
    name: 'a policy that allows and fails permits',
    plant: deciding((decision) =>
      decision.effect === 'deny' && decision.because === 'not-permitted' && decision.errors.length > 0
        ? allowed
        : decision,
    ),
  },
]

/** The names of the planted bugs with which no call ran. */
export async function missedFaultBugs(seed: number): Promise<string[]> {
  const missed: string[] = []
  for (const { name, plant } of faultBugs) {
    const { allowed: ran } = await faultRuns(seed, 60, plant, false)
    if (ran === 0) missed.push(name)
  }
  return missed
}
