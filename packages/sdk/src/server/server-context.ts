// State that all calls of one server share: name, keys, store, clock, and how users are identified.

import { createPublicKey, generateKeyPairSync, type KeyObject, randomFillSync } from 'node:crypto'
import {
  AssentError,
  createKeyRing,
  type IdKind,
  isName,
  type KeyRing,
  newId,
  type OpenLimits,
  type RandomBytes,
  randomPool,
  type SealKey,
  type SealRefusal,
  sealLimits,
} from '@assent/core'
import { checkWait } from '../ask/options.ts'
import type { RunSettings } from '../ask/run.ts'
import { sdkLimits } from '../limits.ts'
import { type Hooks, type Log, Observer } from '../observe/hooks.ts'
import type { OpenTelemetryApi } from '../observe/trace.ts'
import type { DurableStore } from './durable.ts'
import { type PrincipalOf, principalOf } from './principal.ts'
import type { Secrets } from './secrets.ts'
import type { StepRecord } from './step-record.ts'
import { UsedApprovals } from './used-approvals.ts'

export interface AssentSettings {
  /** The server's name as people see it, in approvals and receipts. */
  readonly name?: string
  /**
   * The keys that seal state, the same on every replica; the first seals, all open. Without them every process generates its
   * own: questions that are open at a restart, or retried at another replica, are then refused.
   */
  readonly keys?: readonly SealKey[]
  /** Keeps steps, approvals and their single use, for all replicas. */
  readonly store?: DurableStore
  /** Approvals that may be open at once in the store; one more is refused with an error, and nothing runs. */
  readonly openAsks?: Partial<OpenLimits>
  /** The tenant in the store. */
  readonly tenant?: string
  /** On whose behalf a call runs. By default read from the access token. */
  readonly principal?: PrincipalOf
  /** How long a person may take, unless an ask sets its own timeout. */
  readonly waitMs?: number
  /**
   * An approval that a client accepts sooner is not a person's and ends with the code `unseen`; 300 by default. Set it to 0
   * in tests with a client that answers at once. Behind our gateway, `asks.unseen_after` decides instead.
   */
  readonly unseenAfterMs?: number
  /** How long an approval may wait to be used, unless a gate sets its own time. */
  readonly useWithinMs?: number
  /**
   * A handler is run again for every answer. How long it may then take, without progress, to reach again what it reached before, while it wants
   * something new; 10 seconds by default. Raise it for handlers with parallel branches that are slow outside of steps.
   */
  readonly repeatWithinMs?: number
  /** Where people enter passwords and keys; behind a gateway `gatewaySecrets()`. */
  readonly secrets?: Secrets
  /** The Ed25519 private key that signs receipts. Without it every process generates its own. */
  readonly signing?: { readonly keyId: string; readonly privateKey: KeyObject }
  /** Called when a handler asks, gets an answer, runs a step, ends with a refusal or diverges. */
  readonly on?: Hooks
  /** Gets mistakes in tools and settings, which only their author can correct; standard error by default, `false` for none. */
  readonly log?: Log | false
  /** Records spans: `import * as openTelemetry from '@opentelemetry/api'`. */
  readonly openTelemetry?: OpenTelemetryApi
  /** Called with the reason when a state is refused; for a log, never for the caller. */
  readonly onRefused?: (reason: SealRefusal) => void
  /** Only for tests. */
  readonly nowMs?: () => number
  /** Only for tests: a cryptographic source. */
  readonly random?: RandomBytes
}

export class ServerContext {
  readonly name: string
  readonly store: DurableStore | undefined
  readonly openAsks: OpenLimits
  readonly tenant: string
  readonly waitMs: number
  readonly isWaitDefault: boolean
  readonly unseenAfterMs: number
  readonly useWithinMs: number
  readonly #repeatWithinMs: number | undefined
  readonly secrets: Secrets | undefined
  readonly onRefused: (reason: SealRefusal) => void
  readonly observer: Observer
  readonly openTelemetry: OpenTelemetryApi | undefined
  readonly nowMs: () => number
  readonly random: RandomBytes
  readonly stateMaxMs: number = sealLimits.ttlMaxMs
  /** Approvals used in this process: the only record of single use without a store. */
  readonly usedApprovals: UsedApprovals = new UsedApprovals()
  readonly #principal: PrincipalOf | undefined
  readonly #running = new Map<string, Promise<void>>()
  readonly #hasKeys: boolean
  readonly #advised = new Set<string | undefined>()
  #isWarned = false
  #signing: Signing | undefined
  #ring: KeyRing | undefined
  #owner: string | undefined

  constructor(settings: AssentSettings) {
    this.name = checkName(settings.name ?? 'this server')
    this.tenant = checkName(settings.tenant ?? 'default')
    this.random = settings.random ?? randomPool(randomFillSync)
    this.#hasKeys = settings.keys !== undefined
    if (settings.keys !== undefined) this.#ring = createKeyRing(checkKeys(settings.keys))
    this.store = settings.store
    this.openAsks = { ...sdkLimits.openAsks, ...settings.openAsks }
    this.waitMs = checkWait(settings.waitMs ?? sdkLimits.waitMs)
    this.isWaitDefault = settings.waitMs === undefined
    this.unseenAfterMs = checkUnseenAfter(settings.unseenAfterMs ?? sdkLimits.unseenAfterMs)
    this.useWithinMs = settings.useWithinMs ?? sdkLimits.useWithinMs
    this.#repeatWithinMs =
      settings.repeatWithinMs === undefined ? undefined : checkRepeatWithin(settings.repeatWithinMs)
    this.secrets = settings.secrets
    this.onRefused = settings.onRefused ?? (() => undefined)
    this.observer = new Observer(settings.on, settings.log)
    this.openTelemetry = settings.openTelemetry
    this.nowMs = settings.nowMs ?? settings.store?.nowMs?.bind(settings.store) ?? Date.now
    this.#principal = settings.principal
    if (settings.signing !== undefined) this.#signing = signingWith(settings.signing)
  }

  // What is random is drawn on first use: Cloudflare Workers allow it only while they serve a request.

  /** The keys that seal state. */
  get ring(): KeyRing {
    this.#ring ??= createKeyRing([processKey(this.random)])
    return this.#ring
  }

  /** Identifies this process in the step records. */
  get owner(): string {
    this.#owner ??= `sdk-${Buffer.from(this.random(12)).toString('base64url')}`
    return this.#owner
  }

  /** Generated on first use, because most servers have no gate. */
  get signing(): Signing {
    this.#signing ??= { keyId: this.owner, ...generateKeyPairSync('ed25519') }
    return this.#signing
  }

  newId(kind: IdKind): string {
    return newId(kind, this.nowMs(), this.random)
  }

  /** With keys an approval is valid at other replicas and after a restart, but only a store knows there that it was used. */
  warnGateWithoutStore(): void {
    if (!this.#hasKeys || this.store !== undefined || this.#isWarned) return
    this.#isWarned = true
    const what = 'A gate runs with `keys` and without a `store`: another replica, or this server after a restart,'
    this.observer.unobserved(
      new AssentError(
        'misconfigured',
        `${what} could use the same approval again. Set a store: createAssent({ store }).`,
      ),
    )
  }

  /** For a handler that gets only parsed arguments: a schema that generates a value makes other ones in each round. */
  adviseOtherArguments(handler: string | undefined): void {
    if (this.#advised.has(handler)) return
    this.#advised.add(handler)
    const what =
      'A state was refused that belongs to other arguments or another tool. If the client changed nothing, the input'
    this.observer.advise(
      handler,
      'state_refused',
      `${what} schema generates a value, such as a default with a new id. interactive() gets only parsed arguments: ` +
        'register the tool with assent.tool, or generate the value in a step.',
    )
  }

  principalOf(context: unknown): string {
    return principalOf(context, this.#principal)
  }

  get runSettings(): RunSettings {
    return this.runSettingsFor(undefined)
  }

  runSettingsFor(otherRepeatMs: number | undefined): RunSettings {
    const { waitMs, isWaitDefault, nowMs } = this
    const repeatWithinMs = this.#repeatWithinMs ?? otherRepeatMs ?? sdkLimits.repeatWithinMs
    const onError = (error: unknown) => this.observer.unobserved(error)
    return { waitMs, isWaitDefault, nowMs, onError, repeatWithinMs, newAskId: () => this.newId('ask') }
  }

  /** Where the steps of this call are kept, if anywhere. They outlive every state that could bring the call back. */
  stepRecord(callId: string): StepRecord | undefined {
    if (this.store === undefined) return undefined
    const { tenant, owner, nowMs } = this
    return { steps: this.store.steps, tenant, callId, owner, keepMs: this.stateMaxMs, running: this.#running, nowMs }
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

const processKeyPrefix = 'process-'

/** With an id of its own, so that a state of another process is refused as such and not as tampered with. */
function processKey(random: RandomBytes): SealKey {
  return { id: processKeyPrefix + Buffer.from(random(8)).toString('hex'), secret: random(32) }
}

/** Whether a state was sealed by a process without configured keys. */
export function isFromProcessKey(state: unknown): boolean {
  return typeof state === 'string' && state.split('.', 2)[1]?.startsWith(processKeyPrefix) === true
}

function checkKeys(keys: readonly SealKey[]): readonly SealKey[] {
  if (Array.isArray(keys)) return keys
  throw new AssentError(
    'misconfigured',
    'The setting `keys` is a list of keys: createAssent({ keys: [{ id, secret }] }).',
  )
}

function checkRepeatWithin(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 1 && ms < 2 ** 31) return ms
  throw new AssentError('misconfigured', 'repeatWithinMs is a positive whole number of milliseconds.')
}

function checkUnseenAfter(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= sdkLimits.unseenAfterMaxMs) return ms
  throw new AssentError('misconfigured', 'unseenAfterMs is from 0 to 10000, in whole milliseconds.')
}

function checkName(name: string): string {
  if (isName(name)) return name
  throw new AssentError('misconfigured', 'A server or tenant needs a name that can be shown.')
}
