import { query } from '../engine/statement.ts'
import type { GrantRow } from './use-grant.ts'

export const readGrantById = query<{ tenant: string; id: string }, GrantRow & { signature: string | null }>(
  'read_grant_by_id',
  `select tenant, id, ask_id, digest, principal, granted_at, expires_at, signature from grants
   where tenant = :tenant and id = :id`,
)

/** The grant of an ask, used or not. */
export const readGrant = query<{ tenant: string; ask_id: string }, GrantRow & { used_at: number | null }>(
  'read_grant',
  `select tenant, id, ask_id, digest, principal, granted_at, expires_at, used_at from grants
   where tenant = :tenant and ask_id = :ask_id`,
)
