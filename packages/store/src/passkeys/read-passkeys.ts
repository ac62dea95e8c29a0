import { aboutEach, type EntryRow, entryColumns, entryTables } from '../audit/read-entries-of.ts'
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

/**
 * The entries about the keys of this person since a time, newest first. The times of the rows are not signed, so those of the
 * entries count.
 *
 * Pages poll this. It starts at the keys of the person, so that it reads no entry of another one: they neither slow it down nor
 * use up its limit.
 */
export const readPasskeyChanges = query<
  { tenant: string; principal: string; since: number; at_most: number },
  { at: number; kind: string; name: string; body: string }
>(
  'read_passkey_changes',
  `select e.at, e.kind, k.name, e.body from passkeys k
   join audit_entries e on e.tenant = k.tenant and e.subject = k.id and e.kind <> 'note'
   where k.tenant = :tenant and k.principal = :principal and e.at >= cast(:since as bigint) and e.body is not null
   order by e.id desc limit cast(:at_most as bigint)`,
)

export type ComparedPasskey = PasskeyRow & { log_counter: number }

export const readAllPasskeys = backgroundQuery<{ tenant: string }, ComparedPasskey>(
  'read_all_passkeys',
  `select ${columns}, k.log_counter from passkeys k where k.tenant = :tenant order by k.id`,
)

export const readPasskeyEntries = backgroundQuery<{ tenant: string }, EntryRow>(
  'read_passkey_entries',
  `select ${entryColumns} from ${entryTables}
   where e.tenant = :tenant and ${aboutEach('passkey')}
   order by e.subject, e.id`,
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
   order by id desc limit cast(:at_most as bigint)`,
)
