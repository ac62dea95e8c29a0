// Maps the names of the servers' tools, prompts and resources to the names for clients, and back.
//
// With one server only `tools.rename` changes names. With several, a tool or prompt is `prefix__name` and a resource
// `prefix+uri`, which is a valid URI again; at most one server has no prefix. A prefix has no underscore pair and no
// plus.
// I1  A name maps to at most one target: a name from a client is valid only if it is exactly the name that we would
//     list.
// I2  Mapping back needs no list, except for short names, whose long names are read from the server's list.

import type { JsonObject, JsonValue } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { objectAt } from '../protocol/messages.ts'
import { type NameKind, namedIn, renamedIn } from './names.ts'
import { isShort, shortened } from './short-names.ts'
import { everyTool, isOffered, type ToolRules } from './tool-rules.ts'

export interface NamingRules {
  /** Replaces the server's name in prefixed names; `false` for no prefix, at one server at most. */
  readonly prefix?: string | false
  readonly tools?: ToolRules
}

/** Why an item of a server is not listed under its regular name. */
export type NameConflict =
  /** Another tool was renamed to its name, or has the same short name: the item is omitted. */
  | 'taken'
  /** Without its prefix it would match a name of another server: it keeps the prefix. */
  | 'looks-prefixed'

export type OnNameConflict = (server: string, name: string, why: NameConflict) => void

/** A server, and a request with that server's names. */
export interface NamedTarget {
  readonly server: string
  readonly params: JsonObject
  /** The server's name for the target, if it differs from the client's. */
  readonly name?: string
}

/** The long name of a short one is not known yet. */
export interface UnknownShort {
  readonly server: string
  readonly isShort: true
}

const separators: Readonly<Record<NameKind, string>> = { tool: '__', prompt: '__', resource: '+' }
/** The prefix of the gateway's built-in tools. */
const ours = 'assent'

interface ServerNames {
  readonly prefix: string
  readonly hasPrefix: boolean
  readonly tools: ToolRules
  /** The server's names of renamed tools, by their new names. */
  readonly original: ReadonlyMap<string, string>
}

export class Naming {
  readonly #onConflict: OnNameConflict
  readonly #servers = new Map<string, ServerNames>()
  readonly #byPrefix = new Map<string, string>()
  /** The server's tool name, by server and short name. Short names depend on names only, so no entry gets outdated. */
  readonly #long = new Map<string, string>()
  readonly #reported = new Set<string>()

  constructor(rules: Readonly<Record<string, NamingRules>> = {}, onConflict: OnNameConflict = () => undefined) {
    this.#onConflict = onConflict
    this.use(rules)
  }

  use(rules: Readonly<Record<string, NamingRules>>): void {
    for (const known of [this.#servers, this.#byPrefix, this.#long, this.#reported]) known.clear()
    for (const [server, { prefix, tools = everyTool }] of Object.entries(rules)) {
      const text = typeof prefix === 'string' ? prefix : server
      const original = new Map(Object.entries(tools.rename).map(([from, to]) => [to, from]))
      this.#servers.set(server, { prefix: text, hasPrefix: prefix !== false, tools, original })
      this.#byPrefix.set(text, server)
    }
  }

  /** The target of a request; undefined when its name is unknown. */
  find(method: string, params: JsonObject): NamedTarget | UnknownShort | undefined {
    const named = namedIn(method, params)
    if (named === undefined) return this.#hasOneServer ? { server: this.#first, params } : undefined
    const { kind, name } = named
    const [server, base] = this.#serverOf(kind, name) ?? []
    if (server === undefined || base === undefined) return undefined
    const isHashed = kind === 'tool' && !this.#hasOneServer && base !== name && isShort(name)
    const own = isHashed ? this.#long.get(`${server} ${name}`) : this.#originalOf(server, kind, base)
    if (own === undefined) return { server, isShort: true }
    if (this.nameFor(server, kind, own) !== name || !this.offers(server, kind, own)) return undefined
    return own === name ? { server, params } : { server, params: named.renamed(own), name: own }
  }

  /** The items of a server's list, with the names for clients. */
  listed(server: string, method: string, items: readonly JsonValue[]): JsonValue[] {
    const short = new Map<string, string>()
    return renamedIn(method, items, (kind, own) => {
      if (!this.offers(server, kind, own)) return undefined
      const name = this.nameFor(server, kind, own)
      const isHashed = kind === 'tool' && name !== own && isShort(name)
      const taker = isHashed ? short.get(name) : this.#originalOf(server, kind, this.#baseOf(server, kind, own))
      if ((taker ?? own) !== own) {
        this.#report(server, own, 'taken')
        return undefined
      }
      if (isHashed) {
        short.set(name, own)
        this.#storeLongName(server, name, own)
      }
      if (this.#looksPrefixed(server, kind, own)) this.#report(server, own, 'looks-prefixed')
      return name
    })
  }

  /** The name for clients of a server's tool, prompt or resource. */
  nameFor(server: string, kind: NameKind, own: string): string {
    const { prefix, hasPrefix } = this.#namesOf(server)
    const base = this.#baseOf(server, kind, own)
    if (this.#hasOneServer || (!hasPrefix && !this.#looksPrefixed(server, kind, own))) return base
    const whole = `${prefix}${separators[kind]}${base}`
    return kind === 'tool' ? shortened(whole) : whole
  }

  /** Whether clients get a short name for this tool. `tool` is the server's name. */
  isShortened(server: string, tool: string): boolean {
    const name = this.nameFor(server, 'tool', tool)
    return this.offers(server, 'tool', tool) && name !== tool && isShort(name)
  }

  /** Whether clients may use it. `own` is the server's name. */
  offers(server: string, kind: NameKind, own: string): boolean {
    return kind !== 'tool' || isOffered(this.#namesOf(server).tools, own)
  }

  /** The resources in a subscription that belong to this server, with the server's names. */
  watchedAt(server: string, params: JsonObject): JsonObject {
    const filter = objectAt(params, 'notifications')
    const uris = filter?.resourceSubscriptions
    if (filter === undefined || !Array.isArray(uris) || this.#hasOneServer) return params
    const own = uris.flatMap((uri): string[] => {
      const target = typeof uri === 'string' ? this.find('resources/read', { uri }) : undefined
      return target?.server === server && 'params' in target ? [String(target.params.uri)] : []
    })
    const { resourceSubscriptions: _all, ...rest } = filter
    return { ...params, notifications: own.length === 0 ? rest : { ...rest, resourceSubscriptions: own } }
  }

  get #hasOneServer(): boolean {
    return this.#servers.size === 1
  }

  get #first(): string {
    return this.#servers.keys().next().value ?? ''
  }

  #namesOf(server: string): ServerNames {
    return this.#servers.get(server) ?? { prefix: server, hasPrefix: true, tools: everyTool, original: new Map() }
  }

  /** The server that a name belongs to, and the name without the prefix. */
  #serverOf(kind: NameKind, name: string): [server: string, base: string] | undefined {
    if (this.#hasOneServer) return [this.#first, name]
    const prefixed = this.#prefixIn(kind, name)
    if (prefixed !== undefined) {
      const server = this.#byPrefix.get(prefixed)
      return server === undefined ? undefined : [server, name.slice(prefixed.length + separators[kind].length)]
    }
    const [bare] = [...this.#servers].find(([, { hasPrefix }]) => !hasPrefix) ?? []
    return bare === undefined ? undefined : [bare, name]
  }

  /** The prefix of a name, if it is a server's or ours. */
  #prefixIn(kind: NameKind, name: string): string | undefined {
    const at = name.indexOf(separators[kind])
    const prefix = at <= 0 ? undefined : name.slice(0, at)
    return prefix !== undefined && (this.#byPrefix.has(prefix) || prefix === ours) ? prefix : undefined
  }

  #originalOf(server: string, kind: NameKind, base: string): string {
    return (kind === 'tool' ? this.#namesOf(server).original.get(base) : undefined) ?? base
  }

  /** The name for clients, without a prefix. hasOwn, because a server may name its tool "constructor". */
  #baseOf(server: string, kind: NameKind, own: string): string {
    const { rename } = this.#namesOf(server).tools
    return kind === 'tool' && Object.hasOwn(rename, own) ? (rename[own] ?? own) : own
  }

  /** Whether an unprefixed name of this server would match the prefix of another server. */
  #looksPrefixed(server: string, kind: NameKind, own: string): boolean {
    if (this.#namesOf(server).hasPrefix || this.#hasOneServer) return false
    return this.#prefixIn(kind, this.#baseOf(server, kind, own)) !== undefined
  }

  #storeLongName(server: string, name: string, own: string): void {
    if (this.#long.size >= relayLimits.shortNames) this.#long.clear()
    this.#long.set(`${server} ${name}`, own)
  }

  /** Reports each conflict once, because lists are requested often. */
  #report(server: string, name: string, why: NameConflict): void {
    const key = `${server} ${name} ${why}`
    if (this.#reported.has(key) || this.#reported.size >= relayLimits.shortNames) return
    this.#reported.add(key)
    this.#onConflict(server, name, why)
  }
}
