// The passkeys of people, and what they signed.
//
// I1  A key is added by its person's first registration, or with a signature of another of their keys; it is removed with a
//     signature of one of their keys, or by a reset. Each change is an entry in the audit log, written in the same step.
// I2  Rows are signed with the key ring. A row that does not match, or whose removal is recorded, is not a key.
// I3  The value of `inbox.presence` in force is recorded whenever it changes.

import {
  AssentError,
  type Assertion,
  type AssertionResponse,
  isPresenceSetting,
  isSignedPasskey,
  isWeakerPresence,
  type KeyRing,
  newId,
  type PasskeyTerms,
  type PresenceSetting,
  presenceLimits,
  signPasskey,
  verifyAssertion,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { DuplicateKey, type Engine } from '../engine/engine.ts'
import { randomBytes } from '../random.ts'
import { addPasskey, removePasskey } from './change-passkeys.ts'
import { type PasskeyRow, readPasskeyChanges, readPasskeys, readSettingEntries } from './read-passkeys.ts'

export interface Passkey extends PasskeyTerms {
  readonly signCount: number
  readonly addedAtMs: number
  readonly lastUsedAtMs?: number
}

export interface PasskeyOwner {
  readonly tenant: string
  readonly principal: string
}

/** A signature that the surface received, and what the surface knows about it. */
export interface SignedResponse {
  readonly response: AssertionResponse
  readonly rpId: string
  readonly origin: string
  readonly nonce: string
  readonly actionDigest: string
}

export type VerifiedKey =
  | { readonly ok: true; readonly assertion: Assertion; readonly passkey: string; readonly signCount: number }
  | { readonly ok: false; readonly problem: string }

/** A sealed challenge, which is used once. */
export interface UsedState {
  readonly id: string
  readonly expiresAtMs: number
}

export interface NewPasskey
  extends PasskeyOwner,
    Pick<PasskeyTerms, 'credentialId' | 'publicKey' | 'algorithm' | 'rpId' | 'name'> {
  readonly signCount: number
  readonly state: UsedState
  /** The key that authorised it; without one it must be the person's first. */
  readonly by?: VerifiedKey & { readonly ok: true }
}

export interface PasskeyRemoval extends PasskeyOwner {
  readonly id: string
  readonly state: UsedState
  readonly by: VerifiedKey & { readonly ok: true }
}

/** A change that people are told about for some days. */
export type PresenceNotice =
  | {
      readonly kind: 'passkey-added' | 'passkey-removed' | 'passkey-reset'
      readonly name: string
      readonly atMs: number
    }
  | {
      readonly kind: 'presence-weakened'
      readonly from: PresenceSetting
      readonly to: PresenceSetting
      readonly atMs: number
    }

/** Values of the setting, and changes of the person's keys, that are read for the notices. */
const settingsRead = 50
const changesRead = 200

export class Passkeys {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #keys: KeyRing

  constructor(engine: Engine, audit: Audit, keys: KeyRing) {
    this.#engine = engine
    this.#audit = audit
    this.#keys = keys
  }

  /** The keys that this person can use, in the order in which they were added. */
  async list({ tenant, principal }: PasskeyOwner): Promise<Passkey[]> {
    const rows = await this.#engine.run(readPasskeys, { tenant, principal })
    return rows.map(passkeyFromRow).filter((key, at) => isSignedPasskey(this.#keys, key, rows[at]?.signature ?? ''))
  }

  /** Verifies a signature over this challenge by one of the person's keys. */
  async verify(owner: PasskeyOwner, signed: SignedResponse, challenge: Uint8Array): Promise<VerifiedKey> {
    const { response, rpId, origin, nonce, actionDigest } = signed
    const key = (await this.list(owner)).find(({ credentialId }) => credentialId === response.credentialId)
    if (key === undefined) return { ok: false, problem: 'it is not by a passkey of this person' }
    if (key.rpId !== rpId) return { ok: false, problem: 'the passkey was made for another host' }
    const { credentialId, clientData, authenticatorData, signature } = response
    const { publicKey, algorithm } = key
    const given = { credentialId, clientData, authenticatorData, signature }
    const assertion = { ...given, publicKey, algorithm, rpId, origin, nonce, actionDigest }
    const checked = verifyAssertion(assertion, challenge)
    if (!checked.ok) return checked
    const { signCount } = checked
    const isCopied = (signCount > 0 || key.signCount > 0) && signCount <= key.signCount
    if (isCopied) return { ok: false, problem: 'the passkey was copied: its counter did not advance' }
    return { ok: true, assertion, passkey: key.id, signCount }
  }

  /** The id of the new key; undefined if it may not be added. */
  async add({ by, signCount, state, ...terms }: NewPasskey): Promise<string | undefined> {
    const id = newId('passkey', Date.now(), randomBytes)
    const { tenant, principal, credentialId, publicKey, algorithm, rpId, name } = terms
    const key = { tenant, id, principal, credentialId, publicKey, algorithm, rpId, name }
    const { tenant: _, id: __, ...recorded } = key
    const params = {
      ...{ tenant, id, principal, algorithm, name, first_count: signCount },
      ...{ credential_id: credentialId, public_key: publicKey, rp_id: rpId },
      ...{ state_id: state.id, state_expires_at: state.expiresAtMs, at_most: presenceLimits.passkeys },
      ...{ passkey: by?.passkey ?? null, sign_count: by?.signCount ?? null },
      signature: signPasskey(this.#keys, key),
      ...this.#audit.body({ ...recorded, ...(by === undefined ? {} : { authorisedBy: by.assertion }) }),
    }
    try {
      const [added] = await this.#engine.run(addPasskey, params)
      return added?.id
    } catch (error) {
      // The same credential, another first key at the same moment, or a registration that was used before.
      if (error instanceof DuplicateKey) return undefined
      throw error
    }
  }

  async remove({ tenant, principal, id, state, by }: PasskeyRemoval): Promise<boolean> {
    const signed = { passkey: by.passkey, sign_count: by.signCount, is_reset: 0 }
    const used = { state_id: state.id, state_expires_at: state.expiresAtMs }
    const body = this.#audit.body({ principal, by: 'passkey', authorisedBy: by.assertion })
    try {
      const [removed] = await this.#engine.run(removePasskey, { tenant, id, principal, ...signed, ...used, ...body })
      return removed !== undefined
    } catch (error) {
      if (error instanceof DuplicateKey) return false
      throw error
    }
  }

  /**
   * Removes all keys of a person without a signature, for a person who lost them. Returns how many.
   * @param operator the account that resets them, for the audit log
   */
  async reset({ tenant, principal }: PasskeyOwner, operator = ''): Promise<number> {
    const rows = await this.#engine.run(readPasskeys, { tenant, principal })
    const none = { passkey: null, sign_count: null, is_reset: 1, state_id: null, state_expires_at: null }
    for (const { id } of rows) {
      const body = this.#audit.body({ principal, by: 'reset', ...(operator === '' ? {} : { operator }) })
      await this.#engine.run(removePasskey, { tenant, id, principal, ...none, ...body })
    }
    return rows.length
  }

  /** The value of the setting that was recorded last; `none` before the first. */
  async recordedSetting(tenant: string): Promise<PresenceSetting> {
    const [last] = await this.#engine.run(readSettingEntries, { tenant, since: 0, at_most: 1 })
    return last === undefined ? 'none' : settingsIn(last.body).to
  }

  /** Records the value in force, if it is another than the last one. */
  async recordSetting(tenant: string, to: PresenceSetting): Promise<void> {
    const from = await this.recordedSetting(tenant)
    if (from === to) return
    await this.#audit.append(tenant, [{ subject: 'presence', body: { from, to } }], 'presence.changed')
  }

  /** What this person is shown: changes of their keys, and each weakening of the setting; newest first. */
  async noticesSince({ tenant, principal }: PasskeyOwner, sinceMs: number): Promise<PresenceNotice[]> {
    const [changes, settings] = await Promise.all([
      this.#engine.run(readPasskeyChanges, { tenant, principal, since: sinceMs, at_most: changesRead }),
      this.#engine.run(readSettingEntries, { tenant, since: sinceMs, at_most: settingsRead }),
    ])
    const ofKeys = changes.map(({ kind, at, name, body }): PresenceNotice => {
      const removed = memberOf(body, 'by') === 'reset' ? 'passkey-reset' : 'passkey-removed'
      return { kind: kind === 'passkey.removed' ? removed : 'passkey-added', name, atMs: at }
    })
    const weakened = settings
      .map(({ at, body }) => ({ kind: 'presence-weakened', ...settingsIn(body), atMs: at }) as const)
      .filter(({ from, to }) => isWeakerPresence(to, from))
    return [...ofKeys, ...weakened].sort((a, b) => b.atMs - a.atMs)
  }
}

function memberOf(body: string, name: string): unknown {
  return (JSON.parse(body) as Readonly<Record<string, unknown>>)[name]
}

function settingsIn(body: string): { readonly from: PresenceSetting; readonly to: PresenceSetting } {
  const { from, to } = JSON.parse(body) as Readonly<Record<string, unknown>>
  if (isPresenceSetting(from) && isPresenceSetting(to)) return { from, to }
  throw new AssentError('store_unavailable', 'A recorded value of inbox.presence cannot be read.')
}

export function passkeyFromRow(row: PasskeyRow): Passkey {
  return {
    tenant: row.tenant,
    id: row.id,
    principal: row.principal,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    algorithm: row.algorithm as Passkey['algorithm'],
    rpId: row.rp_id,
    name: row.name,
    signCount: row.sign_count,
    addedAtMs: row.added_at,
    ...(row.last_used_at === null ? {} : { lastUsedAtMs: row.last_used_at }),
  }
}
