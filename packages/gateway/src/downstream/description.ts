// What the gateway says of itself: with one server, what that server says; with several, all they can do together.

import type { JsonObject } from '@assent/core'
import { isPlainObject } from '@assent/core'
import { type Description, unusable } from '../relay/exchange.ts'
import type { Descriptions } from '../relay/relay.ts'

const ours: JsonObject = { name: 'assent', version: '0.0.0' }

export interface Described extends Description {
  /** Which servers cannot be used now, and why. */
  readonly meta: JsonObject
}

/**
 * Why nothing can be offered at all, where one server is all there is: without a gateway its client could not connect
 * either. With several the others may come up, so clients connect and learn which ones are missing.
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
