// The gateway's description for clients: with one server, that server's; with several, their combined capabilities.

import type { JsonObject } from '@assent/core'
import { isPlainObject } from '@assent/core'
import { type Description, unusable } from '../call/model.ts'
import type { Descriptions } from '../call/relay.ts'
import { ownVersion } from '../protocol/version.ts'

const ours: JsonObject = { name: 'assent', version: ownVersion() }

export interface Described extends Description {
  /** Which servers cannot be used now, and why. */
  readonly meta: JsonObject
}

/**
 * The reason why the only configured server is unavailable: then the client cannot connect, as without a gateway. With
 * several servers clients always connect, and `meta` lists the unavailable ones.
 */
export function onlyServerAway({ unavailable }: Descriptions, servers: number): string | undefined {
  const [only] = unavailable
  return servers === 1 && only !== undefined ? unusable(only.server, only.reason) : undefined
}

export function described({ available: all, unavailable }: Descriptions, servers: number): Described {
  const meta = unavailable.length === 0 ? {} : { 'assent/unavailable': unavailable.map((one) => ({ ...one })) }

  const [only] = all
  if (servers === 1 && only !== undefined) return { ...only, info: { ...ours, ...only.info }, meta }
  const capabilities: Record<string, JsonObject> = {}
  for (const one of all) {
    for (const [name, value] of Object.entries(one.capabilities)) {
      if (isPlainObject(value)) capabilities[name] = { ...capabilities[name], ...(value as JsonObject) }
    }
  }
  const instructions = all.flatMap((one) => one.instructions ?? []).join('\n\n')
  return { capabilities, info: ours, meta, ...(instructions === '' ? {} : { instructions }) }
}
