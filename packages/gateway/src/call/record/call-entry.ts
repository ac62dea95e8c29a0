// One call in the record of calls, while a request runs it; and what continues it in a later request.

import { randomBytes } from 'node:crypto'
import { compact, digestOf, isAssentError, isPlainObject, type JsonObject, type JsonValue, newId } from '@assent/core'
import type { CallOutcome, RecordedCall } from '@assent/store'
import { protocolLimits } from '../../limits.ts'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { Answers, Call, CallEntry, Ended, ServerState } from '../model.ts'
import { namedIn } from '../names.ts'
import { screenedArguments } from './screened-arguments.ts'
import { screenedUri } from './screened-uri.ts'

/** In the state of a call that needs input, beside what its server's adapter needs. */
export type CarriedEntry = {
  readonly id: string
  readonly atMs: number
  readonly effect?: Decision['effect']
  readonly policies?: readonly string[]
  readonly askId?: string
}

interface Decision {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly policies: readonly string[]
}

const targetChars = 2_048
const nameChars = 256
const groupsMost = 200

export class OpenEntry implements CallEntry {
  readonly #id: string
  readonly #beganAtMs: number
  readonly #server: string
  readonly #call: Call
  readonly #keepsArguments: boolean
  readonly #commit: (call: RecordedCall) => Promise<boolean>
  #decision: Decision | undefined
  #askId: string | undefined
  /** Why the call did not reach its server, if an approval was needed. */
  #refused: CallOutcome = 'denied'
  #isStored = false
  #isForwarded = false
  #endsElsewhere = false

  constructor(
    call: Call,
    server: string,
    carried: CarriedEntry | undefined,
    nowMs: number,
    keepsArguments: boolean,
    commit: (call: RecordedCall) => Promise<boolean>,
  ) {
    this.#id = carried?.id ?? newId('record', nowMs, randomBytes)
    this.#beganAtMs = carried?.atMs ?? nowMs
    this.#server = server
    this.#call = call
    this.#keepsArguments = keepsArguments
    this.#commit = commit
    this.#askId = carried?.askId
    if (carried?.effect !== undefined) this.#decision = { effect: carried.effect, policies: carried.policies ?? [] }
  }

  /** The characters that this entry keeps in memory: those of its call. */
  get heldChars(): number {
    return charsIn(this.#call.params)
  }

  decided(effect: Decision['effect'], policies: readonly string[]): void {
    // A call that was approved stays one that a policy asked about, also if the policies allow it by then.
    const isAsked = this.#decision?.effect === 'ask' && effect === 'allow'
    if (!isAsked) this.#decision = { effect, policies }
  }

  /** The approval that was given or refused. */
  answered(given: Answers): void {
    for (const response of Object.values(given)) {
      if ('error' in response) {
        this.#refused = stringAt(asObject(response.error.data), 'reason') === 'expired' ? 'expired' : 'failed'
        continue
      }
      this.#askId = response.approval?.askId ?? this.#askId
      const { action } = response.result
      if (action !== 'accept') this.#refused = action === 'decline' ? 'declined' : 'cancelled'
    }
  }

  async store(): Promise<boolean> {
    this.#isStored ||= this.#decision === undefined || (await this.#commit(this.draft()))
    if (!this.#isStored) this.#refused = 'failed'
    return this.#isStored
  }

  async mayForward(): Promise<boolean> {
    this.#isForwarded = await this.store()
    return this.#isForwarded
  }

  forwarded(): void {
    this.#isForwarded = true
  }

  endsElsewhere(): void {
    this.#endsElsewhere = true
  }

  /** Undefined if another request ends the entry. */
  endingOf(ended: Ended | undefined): NonNullable<Ended['recorded']> | undefined {
    if (this.#endsElsewhere) return undefined
    return { id: this.#id, outcome: this.outcomeOf(ended), ...compact({ askId: this.#askId }) }
  }

  outcomeOf(ended: Ended | undefined): CallOutcome {
    if (ended?.kind === 'finished' && this.#isForwarded) return ended.result.isError === true ? 'tool-error' : 'ok'
    if (this.#call.signal.aborted) return 'cancelled'
    return this.#isForwarded || ended === undefined ? 'failed' : this.#refused
  }

  /** The state with what a later request needs to complete this entry. */
  carriedIn(state: ServerState): ServerState {
    if (!isPlainObject(state)) return state
    const { effect, policies } = this.#decision ?? {}
    const recorded = { id: this.#id, atMs: this.#beganAtMs, ...compact({ effect, policies, askId: this.#askId }) }
    return { ...(state as JsonObject), recorded } as JsonObject
  }

  draft(ending?: { readonly outcome: CallOutcome; readonly atMs: number }): RecordedCall {
    const { tenant, principal, groups = [], agent, client, address, method, params } = this.#call
    const args = objectAt(params, 'arguments') ?? {}
    const screened = this.#keepsArguments ? screenedArguments(args) : undefined
    return {
      tenant,
      id: this.#id,
      principal: clean(principal, targetChars),
      groups: groups.slice(0, groupsMost).map((group) => clean(group)),
      agent: cleaned(agent),
      client: cleaned(stringAt(client.info, 'name')),
      clientVersion: cleaned(stringAt(client.info, 'version')),
      address: cleaned(address),
      server: this.#server,
      method,
      target: clean(targetOf(this.#call), targetChars),
      digest: argumentDigest(args),
      arguments: screened?.text,
      hidden: screened?.hidden,
      effect: this.#decision?.effect,
      policies: this.#decision?.policies,
      askId: this.#askId,
      outcome: ending?.outcome,
      beganAtMs: this.#beganAtMs,
      endedAtMs: ending?.atMs,
    }
  }
}

/** What an earlier request left in the state; we sealed it, so only its outline is checked. */
export function carriedEntry(state: ServerState): CarriedEntry | undefined {
  return readCarriedEntry(asObject(state).recorded)
}

export function readCarriedEntry(value: JsonValue | undefined): CarriedEntry | undefined {
  const { id, atMs } = asObject(value)
  return typeof id === 'string' && typeof atMs === 'number' ? (value as CarriedEntry) : undefined
}

/** Whether the state is one of a call that waits for an approval: then its answers decide whether the call is sent. */
export function waitsForApproval(state: ServerState): boolean {
  return objectAt(asObject(state), 'policy') !== undefined
}

function asObject(value: unknown): JsonObject {
  return isPlainObject(value) ? (value as JsonObject) : {}
}

/** About the size of a value. Its depth is limited by that of a message. */
function charsIn(value: JsonValue): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let chars = 0
  for (const [name, member] of Object.entries(value)) chars += name.length + charsIn(member)
  return chars
}

function targetOf({ method, params }: Call): string {
  const { kind, name } = namedIn(method, params) ?? { name: '' }
  return kind === 'resource' ? screenedUri(name) : name
}

/** Callers choose these texts. The database takes neither NUL nor unpaired surrogates. */
function clean(text: string, chars = nameChars): string {
  return text.slice(0, chars).toWellFormed().replaceAll('\0', '\uFFFD')
}

function cleaned(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clean(text)
}

/** Arguments without a canonical form are passed on anyway, and the entry records that there is no digest. */
function argumentDigest(args: JsonObject): string {
  try {
    return digestOf('arguments v1', args, { bytes: protocolLimits.messageBytes, depth: protocolLimits.messageDepth })
  } catch (error) {
    if (isAssentError(error)) return 'none'
    throw error
  }
}
