// Reads a file of policy test cases, and reports every mistake with its line and column.

import { isIP } from 'node:net'
import type { JsonObject, JsonValue } from '@assent/core'
import { nearest } from '../config/nearest.ts'
import { type Problem, unknownSetting } from '../config/problem.ts'
import type { Config } from '../config/settings.ts'
import { type ConfigNode, readSource } from '../config/source.ts'
import { type DescribedCall, targetProblem, timeIn } from './policy-call.ts'
import { policyCallText } from './text/policy.ts'

export interface PolicyCase {
  readonly name: string
  readonly place: Problem['place']
  readonly call: DescribedCall
  readonly expect: 'allow' | 'deny' | 'ask'
  /** The policies that decide. */
  readonly policies?: readonly string[]
  /** Everybody who may approve, such as `group:release-managers`. */
  readonly approvers?: readonly string[]
}

export type CasesRead =
  | { readonly ok: true; readonly cases: readonly PolicyCase[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const targets = { tool: 'tools', prompt: 'prompts', resource: 'resources' } as const
const effects = ['allow', 'deny', 'ask'] as const
const members = [
  'name',
  ...Object.keys(targets),
  'arguments',
  'annotations',
  'schema',
  'person',
  'groups',
  'roles',
  'address',
  'definition_changed',
  'at',
  'expect',
  'policies',
  'approvers',
]

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/**
 * @param nowMs the time of a case without `at`
 * @param policies the names of all policies; undefined if they are not known
 */
export function readCases(text: string, config: Config, nowMs: number, policies?: readonly string[]): CasesRead {
  const source = readSource(text)
  if (!source.ok) return source
  const reader = new CaseReader(config, nowMs, policies)
  const cases = reader.all(source.written)
  return reader.problems.length > 0 ? { ok: false, problems: reader.problems } : { ok: true, cases }
}

interface CaseMistake {
  readonly words: string
  readonly suggestion: string
}

class CaseReader {
  readonly problems: Problem[] = []
  readonly #config: Config
  readonly #nowMs: number
  readonly #policies: readonly string[] | undefined

  constructor(config: Config, nowMs: number, policies: readonly string[] | undefined) {
    this.#policies = policies
    this.#config = config
    this.#nowMs = nowMs
  }

  all(written: ConfigNode): PolicyCase[] {
    if (written.kind !== 'list') {
      this.#report('', written, policyCallText.notAList, policyCallText.beginEach)
      return []
    }
    return written.items.flatMap((item, index) => this.#case(item, String(index + 1)))
  }

  #case(item: ConfigNode, path: string): PolicyCase[] {
    if (item.kind !== 'map') return this.#report(path, item, policyCallText.notAMap, policyCallText.caseExample)
    const given = new Map(item.entries.map(({ name, value }) => [name, value]))
    for (const { name, at } of item.entries) {
      if (members.includes(name)) continue
      const meant = nearest(name, members)
      const suggestion = meant === undefined ? policyCallText.members(members) : policyCallText.meantMember(meant)
      this.#report(`${path}.${name}`, { place: at }, unknownSetting, suggestion)
    }
    const expected = this.#expected(given.get('expect'), item, path)
    const call = this.#call(given, item, path)
    if (expected === undefined || call === undefined) return []
    const text = (name: string) => this.#text(given.get(name), `${path}.${name}`)
    const policies = this.#texts(given.get('policies'), `${path}.policies`, (name) => this.#policyProblem(name))
    const approvers = this.#texts(given.get('approvers'), `${path}.approvers`, (name) => this.#approverProblem(name))
    return [
      {
        name: text('name') ?? call.target,
        place: item.place,
        call,
        expect: expected,
        ...(policies === undefined ? {} : { policies }),
        ...(approvers === undefined ? {} : { approvers }),
      },
    ]
  }

  #expected(written: ConfigNode | undefined, item: ConfigNode, path: string): PolicyCase['expect'] | undefined {
    const value = written?.kind === 'scalar' ? String(written.value) : undefined
    const found = effects.find((effect) => effect === value)
    if (found !== undefined) return found
    const meant = value === undefined ? undefined : nearest(value, effects)
    const suggestion = meant === undefined ? policyCallText.effectExample : policyCallText.didYouMean(meant)
    this.#report(`${path}.expect`, written ?? item, policyCallText.effect, suggestion)
    return undefined
  }

  #call(given: ReadonlyMap<string, ConfigNode>, item: ConfigNode, path: string): DescribedCall | undefined {
    const named = Object.entries(targets).filter(([name]) => given.has(name))
    const [[name, kind] = ['tool', 'tools' as const], ...more] = named
    const target = this.#text(given.get(name), `${path}.${name}`)
    if (more.length > 0 || target === undefined) {
      this.#report(path, item, policyCallText.oneTarget, policyCallText.targetExample)
      return undefined
    }
    const wrong = targetProblem(target, this.#config)
    if (wrong !== undefined) this.#report(`${path}.${name}`, given.get(name) ?? item, wrong.problem, wrong.suggestion)
    const at = this.#text(given.get('at'), `${path}.at`)
    const atMs = at === undefined ? this.#nowMs : timeIn(at)
    if (Number.isNaN(atMs)) {
      this.#report(`${path}.at`, given.get('at') ?? item, policyCallText.notATime, policyCallText.timeExample)
    }
    const person = this.#text(given.get('person'), `${path}.person`)
    const address = this.#text(given.get('address'), `${path}.address`)
    if (address !== undefined && isIP(address) === 0) {
      this.#report(
        `${path}.address`,
        given.get('address') ?? item,
        policyCallText.notAnAddress,
        policyCallText.addressExample,
      )
    }
    const isChanged = this.#text(given.get('definition_changed'), `${path}.definition_changed`) ?? 'false'
    if (isChanged !== 'true' && isChanged !== 'false') {
      this.#report(
        `${path}.definition_changed`,
        given.get('definition_changed') ?? item,
        policyCallText.notABoolean,
        policyCallText.removeIt,
      )
    }
    const annotations = this.#annotations(given.get('annotations'), `${path}.annotations`)
    const schema = this.#object(given.get('schema'), `${path}.schema`)
    return {
      kind,
      target,
      arguments: this.#object(given.get('arguments'), `${path}.arguments`) ?? {},
      groups: this.#texts(given.get('groups'), `${path}.groups`) ?? [],
      roles: this.#texts(given.get('roles'), `${path}.roles`) ?? [],
      atMs,
      ...(isChanged === 'true' ? { isDefinitionChanged: true } : {}),
      ...(address === undefined ? {} : { address }),
      ...(person === undefined ? {} : { person }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(schema === undefined ? {} : { schema }),
    }
  }

  #text(written: ConfigNode | undefined, path: string): string | undefined {
    if (written === undefined) return undefined
    if (written.kind === 'scalar') return String(written.value)
    this.#report(path, written, policyCallText.notAText, policyCallText.remove(lastOf(path)))
    return undefined
  }

  #texts(
    written: ConfigNode | undefined,
    path: string,
    problemOf: (text: string) => CaseMistake | undefined = () => undefined,
  ): string[] | undefined {
    if (written === undefined) return undefined
    const items = written.kind === 'list' ? written.items : [written]
    return items.flatMap((item) => {
      const text = this.#text(item, path)
      const wrong = text === undefined ? undefined : problemOf(text)
      if (wrong !== undefined) this.#report(path, item, wrong.words, wrong.suggestion)
      return text ?? []
    })
  }

  #policyProblem(name: string): CaseMistake | undefined {
    const known = this.#policies
    if (known === undefined || known.includes(name)) return undefined
    const meant = nearest(name, known)
    const suggestion = meant === undefined ? policyCallText.policies(known) : policyCallText.meantPolicy(meant)
    return { words: policyCallText.notAPolicy(name), suggestion }
  }

  #approverProblem(name: string): CaseMistake | undefined {
    if (/^(group|person):./.test(name)) return undefined
    const groups = this.#config.policies?.groups ?? {}
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined
    const { approverExample, membersOf, notAnApprover } = policyCallText
    return { words: notAnApprover, suggestion: group === undefined ? approverExample : membersOf(group) }
  }

  /** As a server declares them. */
  #annotations(written: ConfigNode | undefined, path: string): JsonObject | undefined {
    for (const { name, at, value } of written?.kind === 'map' ? written.entries : []) {
      if (name === 'title') continue
      if (!hints.some((hint) => hint === name)) {
        const begun = name.replaceAll('_', '').toLowerCase()
        const meant = hints.find((hint) => hint.toLowerCase().startsWith(begun)) ?? nearest(name, hints)
        const suggestion = meant === undefined ? policyCallText.hints(hints) : policyCallText.meantMember(meant)
        this.#report(`${path}.${name}`, { place: at }, unknownSetting, suggestion)
      } else if (value.kind !== 'scalar' || typeof value.value !== 'boolean')
        this.#report(`${path}.${name}`, value, policyCallText.notABoolean, policyCallText.removeIt)
    }
    return this.#object(written, path)
  }

  #object(written: ConfigNode | undefined, path: string): JsonObject | undefined {
    if (written === undefined) return undefined
    if (written.kind === 'map') return jsonOf(written) as JsonObject
    this.#report(path, written, policyCallText.notAMap, policyCallText.mapExample(lastOf(path)))
    return undefined
  }

  #report(path: string, { place }: { place: Problem['place'] }, words: string, suggestion?: string): [] {
    this.problems.push({ path, words, place, ...(suggestion === undefined ? {} : { suggestion }) })
    return []
  }
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function jsonOf(written: ConfigNode): JsonValue {
  switch (written.kind) {
    case 'scalar':
      return written.value
    case 'nothing':
      return null
    case 'list':
      return written.items.map(jsonOf)
    case 'map':
      return Object.fromEntries(written.entries.map(({ name, value }) => [name, jsonOf(value)]))
  }
}
