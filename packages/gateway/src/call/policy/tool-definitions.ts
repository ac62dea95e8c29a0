// The definitions of a server's tools, as the server lists them for one person.
//
// Owns: the lists that were read a short while ago.
// I1  A call is judged by a definition that the server listed for the same person at most `definitionsMs` ago; when its
//     approval is used, by one that is read at that moment.
// I2  A list is not used any more once its server has announced that its tools changed.
// I3  A tool that the server does not list has no definition: the list is read again before that is reported.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { policyLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { stringAt, toolsChanged } from '../../protocol/messages.ts'
import { type Call, detached, type Upstream } from '../model.ts'

interface Listed {
  readonly server: string
  readonly atMs: number
  readonly tools: Promise<ReadonlyMap<string, JsonObject>>
}

export class ToolDefinitions {
  readonly #listed = new Map<string, Listed>()

  /** Undefined for a tool that the server does not list. Rejects if the list cannot be read. */
  async find(upstream: Upstream, call: Call, tool: string, isFresh = false): Promise<JsonObject | undefined> {
    const key = compoundKey(upstream.name, call.principal, call.scope)
    const known = isFresh ? undefined : this.#listed.get(key)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : performance.now() - known.atMs
    if (known !== undefined && ageMs < policyLimits.definitionsMs) {
      const found = (await known.tools.catch(() => undefined))?.get(tool)
      if (found !== undefined || ageMs < policyLimits.listAgainMs) return found
    }
    return (await this.#read(key, upstream, call)).get(tool)
  }

  /** The lists of this server, or of all, are read again. */
  forget(server?: string): void {
    for (const [key, listed] of this.#listed)
      if (server === undefined || listed.server === server) this.#listed.delete(key)
  }

  /** A call that listens to the server: once it announces that its tools changed, its lists are read again. */
  watchedBy(server: string, call: Call): Call {
    const notify: Call['notify'] = (notification) => {
      if (notification.method === toolsChanged) this.forget(server)
      call.notify(notification)
    }
    return { ...call, notify }
  }

  #read(key: string, upstream: Upstream, call: Call): Promise<ReadonlyMap<string, JsonObject>> {
    const tools = readTools(upstream, call)
    this.#listed.delete(key)
    this.#listed.set(key, { server: upstream.name, atMs: performance.now(), tools })
    tools.catch(() => this.#listed.get(key)?.tools === tools && this.#listed.delete(key))
    const [oldest] = this.#listed.keys()
    if (this.#listed.size > policyLimits.definitionLists && oldest !== undefined) this.#listed.delete(oldest)
    return tools
  }
}

async function readTools(upstream: Upstream, call: Call): Promise<ReadonlyMap<string, JsonObject>> {
  const tools = new Map<string, JsonObject>()
  let cursor: JsonValue | undefined
  for (let page = 0; page < policyLimits.definitionPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const outcome = await upstream.start({ ...detached(call), method: 'tools/list', params })
    const items = outcome.kind === 'finished' ? outcome.result.tools : undefined
    if (outcome.kind !== 'finished' || !Array.isArray(items)) throw new Error('The list of tools could not be read.')
    for (const item of items) {
      const name = isPlainObject(item) ? stringAt(item as JsonObject, 'name') : undefined
      // A name that is listed twice has no single definition.
      if (name !== undefined) tools.set(name, tools.has(name) ? {} : (item as JsonObject))
    }
    cursor = outcome.result.nextCursor
    if (cursor === undefined) break
  }
  return tools
}
