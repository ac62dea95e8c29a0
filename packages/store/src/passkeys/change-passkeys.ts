import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomicWithKey, type Part } from '../engine/statement.ts'

/** A key that signed the step: it must be a key of the person, and its counter must have advanced. */
export type SignedParams = { passkey: string | null; sign_count: number | null }

/** A counter that does not advance shows that the key was copied; keys that are synchronised between devices have none. */
const isAdvanced = `(sign_count < cast(:sign_count as bigint)
  or (sign_count = 0 and cast(:sign_count as bigint) = 0))`

/**
 * The first part of a step that a key signed: stores the counter, and returns nothing if the key may not be used.
 *
 * The row of the key is the lock. A step that removes the key, or uses the same counter, at the same moment makes this one wait;
 * then the row is read again and the condition decides. Parts after this one have to require `isKeySigned`.
 * @param principal the parameter with the owner of the key
 * @param also a further condition: SQL that begins with `and`, or empty
 */
export function signedBy(principal: string, also: string): Part {
  return {
    name: 'signed',
    returns: ['id'],
    sql: `
      update passkeys set sign_count = cast(:sign_count as bigint), last_used_at = :now
      where tenant = :tenant and id = cast(:passkey as text) and principal = ${principal} and removed_at is null
        and ${isAdvanced} ${also}
      returning id`,
  }
}

// Not correlated with the row that is changed: PostgreSQL evaluates it once, before it locks that row.
export const isKeySigned = 'exists (select 1 from signed)'

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
export const addPasskey = atomicWithKey<AddParams, { id: string }>(
  'add_passkey',
  signedBy(':principal', ''),
  {
    name: 'added',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      insert into passkeys (tenant, id, principal, credential_id, public_key, algorithm, rp_id, name, place, sign_count,
        added_at, signature, log_counter)
      select :tenant, :id, :principal, :credential_id, :public_key, :algorithm, :rp_id, :name,
        1 + coalesce((select max(o.place) from passkeys o where o.tenant = :tenant and o.principal = :principal), 0),
        cast(:first_count as bigint), :now, :signature, 1
      where (select count(*) from (${active}) few) < cast(:at_most as bigint)
        and ((cast(:passkey as text) is null and not exists (${active})) or ${isKeySigned})
      returning tenant, id, log_counter`,
  },
  {
    name: 'used',
    sql: `
      insert into used_ids (tenant, id, expires_at)
      select c.tenant, :state_id, cast(:state_expires_at as bigint) from added c`,
  },
  recorded('added', `'passkey.added'`),
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

/**
 * Removes a key, which one of the person's keys authorised: another one, or the key itself, whose row is then the lock. The row
 * stays, so that the change can be shown.
 */
export const removePasskey = atomicWithKey<RemoveParams, { id: string }>(
  'remove_passkey',
  signedBy(':principal', 'and id <> :id'),
  {
    name: 'removed',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      update passkeys set removed_at = :now, log_counter = log_counter + 1
      where tenant = :tenant and id = :id and principal = :principal and removed_at is null
        and (:is_reset = 1 or ${isKeySigned} or (id = cast(:passkey as text) and ${isAdvanced}))
      returning tenant, id, log_counter`,
  },
  {
    name: 'used',
    sql: `
      insert into used_ids (tenant, id, expires_at)
      select c.tenant, cast(:state_id as text), cast(:state_expires_at as bigint) from removed c
      where cast(:state_id as text) is not null`,
  },
  recorded('removed', `'passkey.removed'`),
)
