import { isRecordable, type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, type Part } from '../engine/statement.ts'

/** A key that signed the step: it must be a key of the person, and its counter must have advanced. */
export type SignedParams = { passkey: string | null; sign_count: number | null }

/**
 * Whether the key that signed may still be used. A counter that does not advance shows that the key was copied; keys that are
 * synchronised between devices have none.
 */
export function isUsable(principal: string): string {
  return `exists (
    select 1 from passkeys k
    where k.tenant = :tenant and k.id = cast(:passkey as text) and k.principal = ${principal} and k.removed_at is null
      and (k.sign_count < cast(:sign_count as bigint) or (k.sign_count = 0 and cast(:sign_count as bigint) = 0)))`
}

/** Stores the counter of the key that signed. */
export function countedBy(from: string): Part {
  return {
    name: 'signed',
    sql: `
      update passkeys set sign_count = cast(:sign_count as bigint), last_used_at = :now from ${from} c
      where passkeys.tenant = c.tenant and passkeys.id = cast(:passkey as text) and passkeys.id <> c.id`,
  }
}

export type AddParams = RecordedParams &
  SignedParams & {
    tenant: string
    id: string
    principal: string
    credential_id: string
    public_key: string
    algorithm: string
    rp_id: string
    name: string
    first_count: number
    signature: string
    at_most: number
    state_id: string
    state_expires_at: number
  }

/**
 * The keys of the person, by the audit log: a key that is marked as removed outside Assent still counts, so that the
 * next one is not the first.
 */
const active = `select 1 from passkeys o
  where o.tenant = :tenant and o.principal = :principal and not exists (
    select 1 from audit_entries e
    where e.tenant = o.tenant and e.subject = o.id and e.kind <> 'note' and e.kind = 'passkey.removed')`

/**
 * Adds a key: the first one of a person, or one that another key of the person authorised.
 *
 * `place` is unique, so of two first keys that are added at the same moment one is refused. The used state id rolls everything
 * back if this registration was used before.
 */
export const addPasskey = atomic<AddParams, { id: string }>(
  'add_passkey',
  {
    name: 'added',
    returns: ['tenant', 'id'],
    selects: ['id'],
    sql: `
      insert into passkeys (tenant, id, principal, credential_id, public_key, algorithm, rp_id, name, place, sign_count,
        added_at, signature)
      select :tenant, :id, :principal, :credential_id, :public_key, :algorithm, :rp_id, :name,
        1 + coalesce((select max(o.place) from passkeys o where o.tenant = :tenant and o.principal = :principal), 0),
        cast(:first_count as bigint), :now, :signature
      where ${isRecordable}
        and (select count(*) from (${active}) few) < cast(:at_most as bigint)
        and ((cast(:passkey as text) is null and not exists (${active})) or ${isUsable(':principal')})
      returning tenant, id`,
  },
  countedBy('added'),
  {
    name: 'used',
    sql: `
      insert into used_ids (tenant, id, expires_at)
      select c.tenant, :state_id, cast(:state_expires_at as bigint) from added c`,
  },
  ...recorded('added', `'passkey.added'`),
)

export type RemoveParams = RecordedParams &
  SignedParams & {
    tenant: string
    id: string
    principal: string
    /** 1 if no key has to authorise it. */
    is_reset: number
    state_id: string | null
    state_expires_at: number | null
  }

/** Removes a key, which one of the person's keys authorised. The row stays, so that the change can be shown. */
export const removePasskey = atomic<RemoveParams, { id: string }>(
  'remove_passkey',
  {
    name: 'removed',
    returns: ['tenant', 'id'],
    selects: ['id'],
    sql: `
      update passkeys set removed_at = :now
      where tenant = :tenant and id = :id and principal = :principal and removed_at is null
        and ${isRecordable} and (:is_reset = 1 or ${isUsable(':principal')})
      returning tenant, id`,
  },
  countedBy('removed'),
  {
    name: 'used',
    sql: `
      insert into used_ids (tenant, id, expires_at)
      select c.tenant, cast(:state_id as text), cast(:state_expires_at as bigint) from removed c
      where cast(:state_id as text) is not null`,
  },
  ...recorded('removed', `'passkey.removed'`),
)
