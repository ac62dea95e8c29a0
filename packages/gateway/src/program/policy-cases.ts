// Reads a file of policy test cases, and reports every mistake with its line and column.

import type { JsonObject, JsonValue } from '@assent/core'
import { nearest } from '../config/nearest.ts'
import { type Problem, unknownSetting } from '../config/problem.ts'
import type { Config } from '../config/settings.ts'
import { type ConfigNode, readSource } from '../config/source.ts'
import { type DescribedCall, targetProblem } from './policy-call.ts'

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
  'at',
  'expect',
  'policies',
  'approvers',
]

/** @param nowMs the time of a case without `at` */
export function readCases(text: string, config: Config, nowMs: number): CasesRead {
  const source = readSource(text)
  if (!source.ok) return source
  const reader = new CaseReader(config, nowMs)
  const cases = reader.all(source.written)
  return reader.problems.length > 0 ? { ok: false, problems: reader.problems } : { ok: true, cases }
}

class CaseReader {
  readonly problems: Problem[] = []
  readonly #config: Config
  readonly #nowMs: number

  constructor(config: Config, nowMs: number) {
    this.#config = config
    this.#nowMs = nowMs
  }

  all(written: ConfigNode): PolicyCase[] {
    if (written.kind !== 'list') {
      this.#report('', written, 'The file must be a list of cases.', 'Begin each case with "- ".')
      return []
    }
    return written.items.flatMap((item, index) => this.#case(item, String(index + 1)))
  }

  #case(item: ConfigNode, path: string): PolicyCase[] {
    if (item.kind !== 'map') return this.#report(path, item, 'must be a map')
    const given = new Map(item.entries.map(({ name, value }) => [name, value]))
    for (const { name, at } of item.entries) {
      if (members.includes(name)) continue
      const meant = nearest(name, members)
      const suggestion = meant === undefined ? `There are ${members.join(', ')}.` : `Did you mean \`${meant}\`?`
      this.#report(`${path}.${name}`, { place: at }, unknownSetting, suggestion)
    }
    const expected = this.#expected(given.get('expect'), item, path)
    const call = this.#call(given, item, path)
    if (expected === undefined || call === undefined) return []
    const text = (name: string) => this.#text(given.get(name), `${path}.${name}`)
    const [policies, approvers] = ['policies', 'approvers'].map((name) =>
      this.#texts(given.get(name), `${path}.${name}`),
    )
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
    const suggestion = meant === undefined ? undefined : `Did you mean ${meant}?`
    this.#report(`${path}.expect`, written ?? item, 'must be allow, deny or ask', suggestion)
    return undefined
  }

  #call(given: ReadonlyMap<string, ConfigNode>, item: ConfigNode, path: string): DescribedCall | undefined {
    const named = Object.entries(targets).filter(([name]) => given.has(name))
    const [[name, kind] = ['tool', 'tools' as const], ...more] = named
    const target = this.#text(given.get(name), `${path}.${name}`)
    if (more.length > 0 || target === undefined) {
      this.#report(path, item, 'needs one of tool, prompt and resource', 'For example: tool: deploy/rollout')
      return undefined
    }
    const wrong = targetProblem(target, this.#config)
    if (wrong !== undefined) this.#report(`${path}.${name}`, given.get(name) ?? item, wrong.problem, wrong.suggestion)
    const at = this.#text(given.get('at'), `${path}.at`)
    const atMs = at === undefined ? this.#nowMs : Date.parse(at)
    if (Number.isNaN(atMs)) {
      this.#report(`${path}.at`, given.get('at') ?? item, 'must be a time', 'For example: "2026-11-17T22:00:00Z"')
    }
    const person = this.#text(given.get('person'), `${path}.person`)
    const annotations = this.#object(given.get('annotations'), `${path}.annotations`)
    const schema = this.#object(given.get('schema'), `${path}.schema`)
    return {
      kind,
      target,
      arguments: this.#object(given.get('arguments'), `${path}.arguments`) ?? {},
      groups: this.#texts(given.get('groups'), `${path}.groups`) ?? [],
      atMs,
      ...(person === undefined ? {} : { person }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(schema === undefined ? {} : { schema }),
    }
  }

  #text(written: ConfigNode | undefined, path: string): string | undefined {
    if (written === undefined) return undefined
    if (written.kind === 'scalar') return String(written.value)
    this.#report(path, written, 'must be a text')
    return undefined
  }

  #texts(written: ConfigNode | undefined, path: string): string[] | undefined {
    if (written === undefined) return undefined
    const items = written.kind === 'list' ? written.items : [written]
    return items.flatMap((item) => this.#text(item, path) ?? [])
  }

  #object(written: ConfigNode | undefined, path: string): JsonObject | undefined {
    if (written === undefined) return undefined
    if (written.kind === 'map') return jsonOf(written) as JsonObject
    this.#report(path, written, 'must be a map')
    return undefined
  }

  #report(path: string, { place }: { place: Problem['place'] }, words: string, suggestion?: string): [] {
    this.problems.push({ path, words, place, ...(suggestion === undefined ? {} : { suggestion }) })
    return []
  }
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
