import { query } from '../engine/statement.ts'
import type { DefinitionKey } from './change-definitions.ts'

export type DefinitionRow = DefinitionKey & {
  id: string
  definition: string
  is_first: number
  seen_at: number
  ask_id: string | null
  accepted_at: number | null
  accepted_by: string | null
  signature: string | null
}

/** Every stored definition of one tool, the oldest first. */
export const readDefinitions = query<Pick<DefinitionKey, 'tenant' | 'server' | 'tool'>, DefinitionRow>(
  'read_definitions',
  `select id, tenant, server, tool, digest, description_digest, definition, is_first, seen_at, ask_id, accepted_at, accepted_by,
     signature
   from tool_definitions where tenant = :tenant and server = :server and tool = :tool order by is_first desc, seen_at, digest`,
)
