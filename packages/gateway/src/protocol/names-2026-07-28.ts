// Names of revision 2026-07-28 that client and server adapters share: request metadata, and the member that names the
// target.

import type { JsonObject } from '@assent/core'
import { stringAt } from './messages.ts'

export const revision = '2026-07-28'

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  info: 'io.modelcontextprotocol/clientInfo',
} as const

/** Whether the server needs input before it can continue. */
export function needsInput(result: JsonObject): boolean {
  return result.resultType === 'input_required'
}

const nameSources: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'tools/call': 'name',
    'prompts/get': 'name',
    'resources/read': 'uri',
  }),
)

/** The value of a request's `Mcp-Name` header; undefined if it has none. */
export function repeatedName(method: string, params: JsonObject | undefined): string | undefined {
  const source = nameSources.get(method)
  return source === undefined ? undefined : stringAt(params, source)
}
