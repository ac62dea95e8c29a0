// What the gateway says of itself: with one server, what that server says; with several, all they can do together.

import type { JsonObject } from '@assent/core'
import { isPlainObject } from '@assent/core'
import type { Description } from '../relay/exchange.ts'
import type { Descriptions } from '../relay/relay.ts'

const ours: JsonObject = { name: 'assent', version: '0.0.0' }

export interface Described extends Description {
  /** Which servers cannot be used now, and why. */
  readonly meta: JsonObject
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
