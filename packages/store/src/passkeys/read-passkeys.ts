import type { EntryRow } from '../audit/read-entries.ts'
import { backgroundQuery, query } from '../engine/statement.ts'

export type PasskeyRow = {
  tenant: string
  id: string
  principal: string
  credential_id: string
  public_key: string
  algorithm: string
  rp_id: string
  name: string
  sign_count: number
  added_at: number
  last_used_at: number | null
  removed_at: number | null
  signature: string
}

const columns = `k.tenant, k.id, k.principal, k.credential_id, k.public_key, k.algorithm, k.rp_id, k.name, k.sign_count,
  k.added_at, k.last_used_at, k.removed_at, k.signature`

/** A key whose removal is in the audit log was restored outside Assent. It is not one of the person's keys. */
export const readPasskeys = query<{ tenant: string; principal: string }, PasskeyRow>(
  'read_passkeys',
  `select ${columns} from passkeys k
   where k.tenant = :tenant and k.principal = :principal and k.removed_at is null and not exists (
     select 1 from audit_entries e
     where e.tenant = k.tenant and e.subject = k.id and e.kind <> 'note' and e.kind = 'passkey.removed')
   order by k.place`,
)

/** The entries about keys since a time, of every person; newest first. The times of the rows are not signed. */
export const readPasskeyChanges = query<
  { tenant: string; since: number; at_most: number },
  { at: number; kind: string; subject: string; body: string }
>(
  'read_passkey_changes',
  `select at, kind, subject, body from audit_entries
   where tenant = :tenant and subject >= 'passkey_' and subject < 'passkey\`' and kind <> 'note'
     and at >= cast(:since as bigint)
   order by seq desc limit cast(:at_most as bigint)`,
)

export const readPasskeyNames = query<{ tenant: string; principal: string }, { id: string; name: string }>(
  'read_passkey_names',
  'select k.id, k.name from passkeys k where k.tenant = :tenant and k.principal = :principal',
)

export const readAllPasskeys = backgroundQuery<{ tenant: string }, PasskeyRow>(
  'read_all_passkeys',
  `select ${columns} from passkeys k where k.tenant = :tenant order by k.id`,
)

/** The entries about keys, which all have ids that begin with `passkey_`. */
export const readPasskeyEntries = backgroundQuery<{ tenant: string }, EntryRow>(
  'read_passkey_entries',
  `select tenant, seq, at, kind, subject, digest, body, hash from audit_entries
   where tenant = :tenant and subject >= 'passkey_' and subject < 'passkey\`' and kind <> 'note'
   order by subject, seq`,
)

/** The latest values of the setting, newest first. */
export const readSettingEntries = query<
  { tenant: string; since: number; at_most: number },
  { at: number; body: string }
>(
  'read_setting_entries',
  `select at, body from audit_entries
   where tenant = :tenant and subject = 'presence' and kind <> 'note' and kind = 'presence.changed'
     and at >= cast(:since as bigint)
   order by seq desc limit cast(:at_most as bigint)`,
)
