// A set of policies, parsed by Cedar, of which only those are evaluated that could apply to a tool.
//
// Cedar needs time for every policy of a set in every call: 20 ms for 1,000 policies. Policies that cannot apply
// to a tool decide nothing about it, so smaller sets give the same answer. They are parsed when they are first needed.
//
// I1  A slice leaves out only policies that are false for every call of the target.
// I2  The number of slices is limited, because names come from servers and callers; beyond that the whole set is used.

import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { Cedar } from './cedar.ts'
import type { PolicyTarget } from './cedar-entities.ts'
import { type KnownFacts, knownFacts, type StaticMatch, staticMatch } from './static-match.ts'

/** Up to this number, the whole set is as fast. */
const wholeAtMost = 3
const slicesMost = 2_000
const targetsMost = 20_000
let setsBuilt = 0

export interface PolicySlice {
  /** Under which Cedar holds it. */
  readonly name: string
  readonly policies: readonly PolicyJson[]
}

export class SlicedSet {
  readonly #cedar: Cedar
  readonly #all: readonly { readonly policy: PolicyJson; readonly matches: StaticMatch }[]
  /** By the positions of their policies. */
  readonly #slices = new Map<string, PolicySlice>()
  readonly #targets = new Map<string, PolicySlice>()
  readonly #whole: PolicySlice

  private constructor(cedar: Cedar, whole: PolicySlice) {
    this.#cedar = cedar
    this.#all = whole.policies.map((policy) => ({ policy, matches: staticMatch(policy) }))
    this.#whole = whole
  }

  /** Returns the messages of Cedar if the policies do not parse. */
  static parse(cedar: Cedar, policies: readonly PolicyJson[]): SlicedSet | readonly string[] {
    const whole = parsed(cedar, policies)
    return 'messages' in whole ? whole.messages : new SlicedSet(cedar, whole)
  }

  /** The policies with which Cedar decides calls of this target. */
  sliceFor(target: PolicyTarget): PolicySlice {
    if (this.#all.length <= wholeAtMost) return this.#whole
    const facts = knownFacts(target)
    const key = JSON.stringify([target.kind, ...facts.attributes.values()])
    const known = this.#targets.get(key)
    if (known !== undefined) return known
    const found = this.#sliceWith(facts)
    if (this.#targets.size >= targetsMost) this.#targets.clear()
    this.#targets.set(key, found)
    return found
  }

  #sliceWith(facts: KnownFacts): PolicySlice {
    const positions = [...this.#all.keys()].filter((index) => this.#all[index]?.matches(facts) === true)
    const key = positions.join()
    const known = this.#slices.get(key)
    if (known !== undefined) return known
    if (this.#slices.size >= slicesMost || positions.length === this.#all.length) return this.#whole
    const made = parsed(
      this.#cedar,
      positions.flatMap((index) => this.#all[index]?.policy ?? []),
    )
    if ('messages' in made) return this.#whole
    this.#slices.set(key, made)
    return made
  }
}

function parsed(cedar: Cedar, policies: readonly PolicyJson[]): PolicySlice | { readonly messages: readonly string[] } {
  setsBuilt += 1
  const name = `set ${setsBuilt}`
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.annotations?.id ?? '', policy]))
  const answer = cedar.preparsePolicySet(name, { staticPolicies })
  return answer.type === 'success' ? { name, policies } : { messages: answer.errors.map(({ message }) => message) }
}
