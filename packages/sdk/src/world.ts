// What every call of one server shares: its name and keys, its store, its clock, and who its users are.

import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import {
  AssentError,
  createKeyRing,
  type IdKind,
  isName,
  type KeyRing,
  newId,
  type OpenLimits,
  type RandomBytes,
  type SealKey,
  type SealRefusal,
  sealLimits,
} from '@assent/core'
import { checkWait } from './ask/how.ts'
import type { DurableStore } from './durable.ts'
import { UsedOnce } from './gate/used-once.ts'
import { sdkLimits } from './limits.ts'
import { type PrincipalOf, principalOf } from './principal.ts'
import type { Terms } from './run/run.ts'
import type { StepRecord } from './run/steps.ts'
import type { Secrets } from './secrets/secrets.ts'

export interface AssentSettings {
  /** The server's name, as people know it; it stands in approvals and receipts. */
  readonly name?: string
  /**
   * What state is sealed with, the same on every replica; the first seals, all open. Without it every process makes its
   * own: questions open at a restart, or brought back to another replica, are then refused.
   */
  readonly keys?: readonly SealKey[]
  /** Keeps steps, approvals and their single use, for all replicas. */
  readonly store?: DurableStore
  /** Approvals that may be open at once in the store; one more is refused, in words, and nothing runs. */
  readonly openAsks?: Partial<OpenLimits>
  /** Whose data it is, in the store. */
  readonly tenant?: string
  /** On whose behalf a call runs. Unless said, read from the access token. */
  readonly principal?: PrincipalOf
  /** How long a person may take unless an ask says otherwise. */
  readonly waitMs?: number
  /**
   * An approval that a client accepts sooner is not a person's and ends with the code `unseen`; 300 unless said. Set it to 0
   * in tests with a client that answers at once. Behind our gateway, `asks.unseen_after` decides instead.
   */
  readonly unseenAfterMs?: number
  /** How long a yes may wait to be used unless a gate says otherwise. */
  readonly useWithinMs?: number
  /** Where people hand over passwords and keys; behind a gateway `gatewaySecrets()`. */
  readonly secrets?: Secrets
  /** What receipts are signed with: an Ed25519 private key. Without it every process makes its own. */
  readonly signing?: { readonly keyId: string; readonly privateKey: KeyObject }
  /** Told why a state was refused; for a log, never for the caller. */
  readonly onRefused?: (reason: SealRefusal) => void
  /** Only for tests. */
  readonly nowMs?: () => number
  /** Only for tests: a cryptographic source. */
  readonly random?: RandomBytes
}

export class World {
  readonly name: string
  readonly ring: KeyRing
  readonly store: DurableStore | undefined
  readonly openAsks: OpenLimits
  readonly tenant: string
  readonly waitMs: number
  readonly isWaitDefault: boolean
  readonly unseenAfterMs: number
  readonly useWithinMs: number
  readonly secrets: Secrets | undefined
  readonly onRefused: (reason: SealRefusal) => void
  readonly nowMs: () => number
  readonly random: RandomBytes
  readonly stateMostMs: number = sealLimits.ttlMaxMs
  /** This process, in the record of steps. */
  readonly owner: string
  /** Approvals used in this process; without a store, all that is known of single use. */
  readonly used: UsedOnce = new UsedOnce()
  readonly #principal: PrincipalOf | undefined
  #signing: Signing | undefined

  constructor(settings: AssentSettings) {
    this.name = checkName(settings.name ?? 'this server')
    this.tenant = checkName(settings.tenant ?? 'default')
    this.random = settings.random ?? randomBytes
    this.ring = createKeyRing(settings.keys ?? [{ id: 'process', secret: this.random(32) }])
    this.store = settings.store
    this.openAsks = { ...sdkLimits.openAsks, ...settings.openAsks }
    this.waitMs = checkWait(settings.waitMs ?? sdkLimits.waitMs)
    this.isWaitDefault = settings.waitMs === undefined
    this.unseenAfterMs = checkUnseenAfter(settings.unseenAfterMs ?? sdkLimits.unseenAfterMs)
    this.useWithinMs = settings.useWithinMs ?? sdkLimits.useWithinMs
    this.secrets = settings.secrets
    this.onRefused = settings.onRefused ?? (() => undefined)
    this.nowMs = settings.nowMs ?? settings.store?.nowMs?.bind(settings.store) ?? Date.now
    this.owner = `sdk-${Buffer.from(this.random(12)).toString('base64url')}`
    this.#principal = settings.principal
    if (settings.signing !== undefined) this.#signing = signingWith(settings.signing)
  }

  /** Made at the first use, because most servers have no gate. */
  get signing(): Signing {
    this.#signing ??= { keyId: this.owner, ...generateKeyPairSync('ed25519') }
    return this.#signing
  }

  newId(kind: IdKind): string {
    return newId(kind, this.nowMs(), this.random)
  }

  principalOf(context: unknown): string {
    return principalOf(context, this.#principal)
  }

  get terms(): Terms {
    const { waitMs, isWaitDefault, nowMs } = this
    return { waitMs, isWaitDefault, nowMs, newAskId: () => this.newId('ask') }
  }

  /** Where the steps of this call are kept, if anywhere. They outlive every state that could bring the call back. */
  record(callId: string): StepRecord | undefined {
    if (this.store === undefined) return undefined
    const { tenant, owner } = this
    return { steps: this.store.steps, tenant, callId, owner, keepMs: this.stateMostMs }
  }
}

export interface Signing {
  readonly keyId: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

function signingWith({ keyId, privateKey }: { keyId: string; privateKey: KeyObject }): Signing {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519') {
    throw new AssentError('misconfigured', 'Receipts are signed with an Ed25519 private key.')
  }
  return { keyId: checkName(keyId), privateKey, publicKey: createPublicKey(privateKey) }
}

function checkUnseenAfter(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= sdkLimits.unseenAfterMostMs) return ms
  throw new AssentError('misconfigured', 'unseenAfterMs is from 0 to 10000, in whole milliseconds.')
}

function checkName(name: string): string {
  if (isName(name)) return name
  throw new AssentError('misconfigured', 'A server or tenant needs a name that can be shown.')
}
