// Which server speaks, when one asks for a page.
//
// A server that we start is given a token in its environment, sealed with the gateway's own keys: any gateway on the same
// store knows it. Other servers have theirs in the configuration. A token says which server it is and nothing more; what is
// handed over can be read with the server's own key alone, which the gateway never has.

import { createHash, randomBytes } from 'node:crypto'
import { type KeyRing, requestDigest, seal, sealLimits, unseal } from '@assent/core'
import type { ServerConfig } from '../upstream/open-upstream.ts'

const purpose = 'secrets'
const namedToken = /^([a-z][a-z0-9-]{0,31}):(.+)$/s

export class Credentials {
  readonly #keys: KeyRing
  #known: ReadonlySet<string> = new Set()
  #allowed: ReadonlySet<string> = new Set()
  /** Hashes, so that looking one up takes as long for every wrong one. */
  #byHash: ReadonlyMap<string, string> = new Map()

  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  use(servers: Readonly<Record<string, ServerConfig>>): void {
    const all = Object.entries(servers)
    const allowed = all.filter(([, { secrets }]) => secrets !== undefined)
    this.#known = new Set(all.map(([name]) => name))
    this.#allowed = new Set(allowed.map(([name]) => name))
    this.#byHash = new Map(
      allowed.flatMap(([name, { secrets }]) => (secrets?.token === undefined ? [] : [[hashOf(secrets.token), name]])),
    )
  }

  /** For a server that is about to be started. */
  tokenFor(server: string): string {
    const binding = { ...bindingOf(server), ttlMs: sealLimits.ttlMaxMs }
    return `${server}:${seal(this.#keys, binding, {}, { nowMs: Date.now(), random: randomBytes })}`
  }

  /** The server whose token this is; undefined when it is nobody's, or its server may not ask for secrets. */
  serverOf(token: string): string | undefined {
    const configured = this.#byHash.get(hashOf(token))
    if (configured !== undefined) return configured
    const [, server, sealed] = namedToken.exec(token) ?? []
    if (server === undefined) return undefined
    // Of a server that another gateway on this store started, its token is all that is known.
    if (this.#known.has(server) && !this.#allowed.has(server)) return undefined
    return unseal(this.#keys, sealed, { ...bindingOf(server), nowMs: Date.now() }).ok ? server : undefined
  }
}

function bindingOf(server: string) {
  const digest = requestDigest({ method: purpose, target: server, arguments: {} })
  return { principal: `server:${server}`, purpose, requestDigest: digest }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
