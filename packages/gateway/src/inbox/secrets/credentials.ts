// Identifies the server that asks for a page.
//
// A server that the gateway starts gets a token in its environment, sealed with the gateway's keys: every gateway on
// the same store accepts it. Other servers have a token in the configuration. A token only identifies the server;
// secrets can be decrypted only with the server's own key, which the gateway never has.

import { createHash, randomBytes } from 'node:crypto'
import { type KeyRing, requestDigest, seal, sealLimits, unseal } from '@assent/core'
import type { ServerConfig } from '../../servers/open-upstream.ts'

const purpose = 'secrets'
const namedToken = /^([a-z][a-z0-9-]{0,31}):(.+)$/s

export class Credentials {
  readonly #keys: KeyRing
  #known: ReadonlySet<string> = new Set()
  #allowed: ReadonlySet<string> = new Set()
  /** By hash, so that lookup time reveals nothing about a token. */
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

  /** For the environment of a server that is about to be started. */
  tokenFor(server: string): string {
    const binding = { ...bindingOf(server), ttlMs: sealLimits.ttlMaxMs }
    return `${server}:${seal(this.#keys, binding, {}, { nowMs: Date.now(), random: randomBytes })}`
  }

  /** The server that has this token; undefined when it is invalid, or the server may not ask for secrets. */
  serverOf(token: string): string | undefined {
    const configured = this.#byHash.get(hashOf(token))
    if (configured !== undefined) return configured
    const [, server, sealed] = namedToken.exec(token) ?? []
    if (server === undefined) return undefined
    // A server unknown here may have been started by another gateway on this store: then its seal decides.
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
