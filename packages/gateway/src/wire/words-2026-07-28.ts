// The words of revision 2026-07-28 that both sides of the gateway use: what its requests carry, and what names their target.

import type { JsonObject } from '@assent/core'
import { stringAt } from './messages.ts'

export const revision = '2026-07-28'

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  info: 'io.modelcontextprotocol/clientInfo',
} as const

/** Whether the server wants something before it can go on. */
export function isUnfinished(result: JsonObject): boolean {
  return result.resultType === 'input_required'
}

const nameSources: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'tools/call': 'name',
    'prompts/get': 'name',
    'resources/read': 'uri',
  }),
)

/** The value that a request repeats in its header `Mcp-Name`; undefined where it has none. */
export function repeatedName(method: string, params: JsonObject | undefined): string | undefined {
  const source = nameSources.get(method)
  return source === undefined ? undefined : stringAt(params, source)
}
