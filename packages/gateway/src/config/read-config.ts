// Reads a configuration against the description of all settings, and reports all mistakes at once.
//
// It does not read files or the environment: both are passed in. An unknown setting is a mistake; none is ignored.

import type { Scalar, ValueKind } from './kinds.ts'
import { nearest } from './nearest.ts'
import { readPolicies } from './policy-rules.ts'
import { type ConfigLocation, type Problem, unknownSetting, type Warning } from './problem.ts'
import { resolve, type Surroundings } from './references.ts'
import { ruleProblems, standaloneWarnings } from './rules.ts'
import { nameWarnings } from './server-rules.ts'
import {
  type CustomReader,
  type Group,
  type Leaf,
  type List,
  type Members,
  type Named,
  type OptionalGroup,
  type RecordRead,
  type Records,
  type Setting,
  variableOf,
} from './setting.ts'
import { type Config, settings, type WrittenConfig } from './settings.ts'
import { type ConfigEntry, type ConfigNode, readSource } from './source.ts'
import { strayVariables, whereElse } from './unknown-settings.ts'

export type ConfigRead =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Warning[] }

export function readConfig(text: string, around: Surroundings): ConfigRead {
  const warnings = strayVariables(settings, around.variables, text)
  const source = readSource(text)
  if (!source.ok) return { ok: false, problems: source.problems, warnings }
  const reader = new Reader(around)
  const written = reader.read(settings, [], source.written) as WrittenConfig
  // Rules between settings are checked only if each setting is valid by itself.
  if (reader.problems.length > 0) return { ok: false, problems: inOrder(reader.problems), warnings }
  const policies = readPolicies(written, around, reader.placeOf)
  const config = { ...written, policies: policies.settings }
  const problems = inOrder([...ruleProblems(config, reader.placeOf), ...policies.problems])
  if (problems.length > 0) return { ok: false, problems, warnings }
  const found = [...nameWarnings(config), ...(around.isStandalone === true ? [] : standaloneWarnings(config))]
  const ofRules = found.map((one) => ({ ...one, place: reader.placeOf(one.path) }))
  return { ok: true, config, warnings: [...warnings, ...ofRules, ...policies.warnings] }
}

type Path = readonly string[]

class Reader {
  readonly problems: Problem[] = []
  readonly #around: Surroundings
  readonly #places = new Map<string, ConfigLocation>()

  constructor(around: Surroundings) {
    this.#around = around
  }

  /** Where a setting was given; otherwise the location of its closest parent. */
  readonly placeOf = (path: string): ConfigLocation => {
    const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : ''
    const start: ConfigLocation = { kind: 'file', line: 1, column: 1 }
    return this.#places.get(path) ?? (path === '' ? start : this.placeOf(parent))
  }

  read(setting: Setting, path: Path, written: ConfigNode | undefined): unknown {
    if (written !== undefined) this.#places.set(path.join('.'), written.place)
    switch (setting.node) {
      case 'leaf':
        return this.#leaf(setting, path, written)
      case 'list':
        return this.#list(setting, path, written)
      case 'named':
        return this.#named(setting, path, written)
      case 'records':
        return this.#records(setting, path, written)
      case 'custom':
        return written === undefined || written.kind === 'nothing'
          ? setting.fallback
          : setting.read(written, this.#customReader(path))
      case 'optional-group':
        if (written === undefined && !this.#hasVariable(setting.members, path)) return undefined
        if (setting.listMember !== undefined && written?.kind === 'list')
          return this.#listMember(setting, setting.listMember, path, written)
        if (setting.listMember !== undefined && written !== undefined && written.kind === 'scalar')
          return this.#report(path, written.place, 'must be a list or a map of settings', 'Begin each item with "- ".')
        return this.#members(setting.members, path, written)
      case 'group': {
        this.#judgeEither(setting, path, written)
        return this.#members(setting.members, path, written)
      }
    }
  }

  #members(members: Members, path: Path, written: ConfigNode | undefined): Record<string, unknown> {
    const given = new Map(this.#entries(path, written).map((entry) => [entry.name, entry]))
    for (const { name, at } of given.values()) {
      if (Object.hasOwn(members, name)) continue
      const meant = nearest(name, Object.keys(members))
      const suggestion =
        meant === undefined ? (whereElse(settings, name) ?? everySetting) : `Did you mean \`${meant}\`?`
      this.#report([...path, name], at, unknownSetting, suggestion)
    }
    const read = Object.entries(members).map(([name, member]) => [
      name,
      this.read(member, [...path, name], given.get(name)?.value),
    ])
    return Object.fromEntries(read)
  }

  #records(setting: Records<Members>, path: Path, written: ConfigNode | undefined): RecordRead<unknown>[] {
    if (written === undefined || written.kind === 'nothing') return []
    if (written.kind !== 'list') {
      this.#report(path, written.place, 'must be a list', 'Begin each item with "- ".')
      return []
    }
    return written.items.map((item, index) => {
      const inside = [...path, String(index + 1)]
      const value = this.read({ ...setting, node: 'group' }, inside, item)
      return { path: inside.join('.'), value }
    })
  }

  /** A list in place of a group: its messages name no member. */
  #listMember({ members }: OptionalGroup<Members>, name: string, path: Path, written: ConfigNode): unknown {
    const others = Object.entries(members as Members).map(([other, member]) => [
      other,
      other === name ? this.read(member, path, written) : this.read(member, [...path, other], undefined),
    ])
    return Object.fromEntries(others)
  }

  #customReader(path: Path): CustomReader {
    return {
      report: (inside, place, words, suggestion) => this.#report([...path, ...inside], place, words, suggestion),
      resolved: (inside, raw, place) => {
        const resolved = typeof raw === 'string' ? resolve(raw, this.#around) : undefined
        if (resolved?.ok === false) {
          return this.#report([...path, ...inside], place, resolved.problem, resolved.suggestion)
        }
        return resolved === undefined ? raw : resolved.text
      },
    }
  }

  #named(setting: Named<Setting>, path: Path, written: ConfigNode | undefined): Record<string, unknown> {
    const read: [string, unknown][] = []
    for (const { name, at, value } of this.#entries(path, written)) {
      if (!setting.names.test(name)) {
        const better = name.toLowerCase().replaceAll(/[ _.]+/g, '-')
        const suggestion = setting.names.test(better) ? `Did you mean ${better}?` : undefined
        this.#report([...path, name], at, `is not a valid name: it must be ${setting.nameWords}`, suggestion)
      }
      read.push([name, this.read(setting.of, [...path, name], value)])
    }
    return Object.fromEntries(read)
  }

  #leaf(setting: Leaf<unknown>, path: Path, written: ConfigNode | undefined): unknown {
    const variable = this.#variable(path)
    if (variable !== undefined) {
      return this.#scalar(setting.kind, path, variable.value, { kind: 'variable', name: variable.name })
    }
    if (written === undefined || written.kind === 'nothing') {
      if (setting.isRequired)
        this.#report(path, this.placeOf(path.join('.')), 'is required', `It must be ${plain(setting.kind.words)}.`)
      return setting.fallback
    }
    if (written.kind !== 'scalar') return this.#report(path, written.place, `must be ${plain(setting.kind.words)}`)
    return this.#text(setting.kind, path, written.value, written.place)
  }

  #list(setting: List<unknown>, path: Path, written: ConfigNode | undefined): unknown {
    const variable = this.#variable(path)
    if (variable !== undefined) {
      const place: ConfigLocation = { kind: 'variable', name: variable.name }
      return variable.value.split(',').map((item) => this.#scalar(setting.kind, path, item.trim(), place))
    }
    if (written === undefined || written.kind === 'nothing') return setting.fallback
    if (written.kind !== 'list' && !(setting.allowsOne && written.kind === 'scalar')) {
      return this.#report(path, written.place, 'must be a list', 'Write [one, two].')
    }
    if (setting.allowsOne && written.kind === 'list' && written.items.length === 0) {
      return this.#report(path, written.place, 'must not be empty', 'Remove it, or write a value.')
    }
    if (written.kind === 'scalar') return [this.#text(setting.kind, path, written.value, written.place)]
    return written.items.map((item, index) => {
      const place = [...path, String(index + 1)]
      if (item.kind !== 'scalar') return this.#report(place, item.place, `must be ${plain(setting.kind.words)}`)
      return this.#text(setting.kind, place, item.value, item.place)
    })
  }

  /** A value of the file, with its references resolved. */
  #text(kind: ValueKind<unknown>, path: Path, raw: Scalar, place: ConfigLocation): unknown {
    const resolved = typeof raw === 'string' ? resolve(raw, this.#around) : undefined
    if (resolved?.ok === false) return this.#report(path, place, resolved.problem, resolved.suggestion)
    return this.#scalar(kind, path, resolved === undefined ? raw : resolved.text, place)
  }

  #scalar(kind: ValueKind<unknown>, path: Path, raw: Scalar, place: ConfigLocation): unknown {
    const read = kind.read(raw)
    return read.ok ? read.value : this.#report(path, place, read.problem, read.suggestion)
  }

  #judgeEither({ either, members }: Group<Members>, path: Path, written: ConfigNode | undefined): void {
    const names = this.#namesIn(written)
    const given = either.filter((name) => names.includes(name))
    // A misspelt name is reported as such, and not also as missing.
    const isMisspelt = given.length === 0 && names.some((name) => !Object.hasOwn(members, name))
    if (either.length === 0 || given.length === 1 || isMisspelt) return
    const place = this.placeOf(path.join('.'))
    if (given.length === 0) this.#report(path, place, `needs ${either.join(' or ')}`, `Write one of them.`)
    else this.#report(path, place, `has ${given.join(' and ')}: only one is allowed`, 'Remove one of them.')
  }

  #namesIn(written: ConfigNode | undefined): string[] {
    return written?.kind === 'map' ? written.entries.map(({ name }) => name) : []
  }

  #entries(path: Path, written: ConfigNode | undefined): readonly ConfigEntry[] {
    if (written === undefined || written.kind === 'nothing') return []
    if (written.kind === 'map') return written.entries
    this.#report(
      path,
      written.place,
      path.length === 0 ? 'The file must be a map of settings.' : 'must be a map of settings',
    )
    return []
  }

  /** An empty variable counts as unset, because compose files pass unset variables as empty ones. */
  #variable(path: Path): { readonly name: string; readonly value: string } | undefined {
    // Items of a list have no names, so they have no variables.
    if (path.some((part) => /^[0-9]+$/.test(part))) return undefined
    const name = variableOf(path)
    const value = this.#around.variables[name]
    return value === undefined || value === '' ? undefined : { name, value }
  }

  #hasVariable(members: Members, path: Path): boolean {
    return Object.keys(members).some((name) => this.#variable([...path, name]) !== undefined)
  }

  #report(path: Path, place: ConfigLocation, words: string, suggestion?: string): undefined {
    const problem = { path: path.join('.'), words, place }
    this.problems.push(suggestion === undefined ? problem : { ...problem, suggestion })
    return undefined
  }
}

const everySetting = 'docs/reference/settings.md lists all settings.'

function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => orderOf(a.place) - orderOf(b.place))
}

/** File order; variables come last. */
function orderOf(place: ConfigLocation): number {
  return place.kind === 'file' ? place.line * 100_000 + place.column : Number.MAX_SAFE_INTEGER
}

/** Removes Markdown's backticks for output in a terminal. */
function plain(words: string): string {
  return words.replaceAll('`', '')
}
