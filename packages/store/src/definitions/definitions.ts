// The definitions of tools that were called under a policy.
//
// I1  The first definition of a tool counts as accepted. Every other one counts only after somebody accepted it; an
//     accepted definition stays accepted.
// I2  Each first definition, change and acceptance is an entry in the audit log, written in the same step.
// I3  An acceptance is signed with the key ring. A row that does not match its signature is not accepted.
// I4  A tool has at most `changesMost` definitions that wait for acceptance. A further one replaces the oldest of them, so
//     that a server cannot prevent that its current definition is accepted.

import {
  type AcceptedDefinition,
  isSignedDefinition,
  type KeyRing,
  newId,
  type PinnedDefinition,
  signDefinition,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import { randomBytes } from '../random.ts'
import {
  acceptDefinition,
  addChangedDefinition,
  type DefinitionKey,
  pinFirstDefinition,
  replaceChangedDefinition,
  setDefinitionAsk,
  signDefinitionAgain,
} from './change-definitions.ts'
import { type DefinitionRow, readDefinitions } from './read-definitions.ts'

export interface ToolName {
  readonly tenant: string
  readonly server: string
  /** The server's own name of the tool. */
  readonly tool: string
}

export interface StoredDefinition extends PinnedDefinition {
  readonly isFirst: boolean
  readonly seenAtMs: number
  readonly isAccepted: boolean
  /** The ask in which it can be accepted, if one was raised. */
  readonly askId?: string
  /** Of an acceptance that no key of the ring verifies; empty for one without a signature. */
  readonly unverified: string
}

/** A definition, and the state in which it was read. */
type ReadDefinition = PinnedDefinition & Partial<Pick<StoredDefinition, 'askId' | 'unverified'>>

/** Definitions of one tool that wait for acceptance, so that a server that changes all the time does not fill the store. */
const changesMost = 20

export class Definitions {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #keys: KeyRing

  constructor(engine: Engine, audit: Audit, keys: KeyRing) {
    this.#engine = engine
    this.#audit = audit
    this.#keys = keys
  }

  /** The stored definitions of a tool, the oldest first. */
  async of({ tenant, server, tool }: ToolName): Promise<StoredDefinition[]> {
    const rows = await this.#engine.run(readDefinitions, { tenant, server, tool })
    const stored = rows.map((row) => this.#stored(row))
    for (const [at, row] of rows.entries()) if (stored[at]?.isAccepted === true) await this.#signAgain(row)
    return stored
  }

  /** After a change of keys: the older key is removed later. */
  async #signAgain(row: DefinitionRow): Promise<void> {
    const signature = signDefinition(this.#keys, acceptedIn(row))
    if (signature === row.signature) return
    const { tenant, server, tool, digest, description_digest } = row
    const key = { tenant, server, tool, digest, description_digest }
    await this.#engine.run(signDefinitionAgain, { ...key, before: row.signature ?? '', signature })
  }

  /** Pins the first definition of a tool. False if the tool has one already. */
  async pin(name: ToolName, definition: PinnedDefinition): Promise<boolean> {
    const { server, tool } = name
    const { digest, descriptionDigest } = definition
    const params = {
      ...keyOf(name, definition),
      id: newId('definition', Date.now(), randomBytes),
      definition: definition.text,
      signature: signDefinition(this.#keys, { ...name, ...definition, acceptedBy: '' }),
      ...this.#audit.body({ server, tool, digest, descriptionDigest }),
    }
    return (await this.#engine.runRepeatable(pinFirstDefinition, params)).length > 0
  }

  /**
   * Stores a changed definition; if too many changes of the tool wait, in place of the oldest. False if it is stored
   * already, or if another replica changed the oldest at the same moment.
   */
  async addChanged(name: ToolName, definition: PinnedDefinition): Promise<boolean> {
    const { server, tool } = name
    const { digest, descriptionDigest } = definition
    const body = { server, tool, digest, descriptionDigest }
    const params = {
      ...keyOf(name, definition),
      id: newId('definition', Date.now(), randomBytes),
      definition: definition.text,
      ...this.#audit.body(body),
    }
    if ((await this.#engine.run(addChangedDefinition, { ...params, at_most: changesMost })).length > 0) return true
    const rows = await this.#engine.run(readDefinitions, { tenant: name.tenant, server, tool })
    const waiting = rows.filter(({ is_first, accepted_at }) => is_first === 0 && accepted_at === null)
    const [oldest] = waiting
    if (oldest === undefined || waiting.length < changesMost) return false
    const replaced = {
      old_id: oldest.id,
      old_digest: oldest.digest,
      old_description_digest: oldest.description_digest,
      old_ask_id: oldest.ask_id ?? '',
    }
    // The entries of the other one stay in the log, without a row.
    const recorded = this.#audit.body({ ...body, replaces: oldest.id })
    return (await this.#engine.run(replaceChangedDefinition, { ...params, ...replaced, ...recorded })).length > 0
  }

  /** Notes the ask in which a definition can be accepted, as it was read. False if another one was noted at the same moment. */
  async setAsk(name: ToolName, definition: ReadDefinition, askId: string): Promise<boolean> {
    const { askId: before = '', unverified = '' } = definition
    const params = { ...keyOf(name, definition), ask_id: askId, before, unverified }
    return (await this.#engine.run(setDefinitionAsk, params)).length > 0
  }

  /**
   * Accepts a definition, as it was read. False if it is accepted already.
   * @param by the principal of the person who accepted it, in this ask
   */
  async accept(name: ToolName, definition: ReadDefinition, by: string, askId: string): Promise<boolean> {
    const { server, tool } = name
    const { digest, descriptionDigest, text, unverified = '' } = definition
    const params = {
      ...keyOf(name, definition),
      accepted_by: by,
      unverified,
      signature: signDefinition(this.#keys, { ...name, digest, descriptionDigest, text, acceptedBy: by }),
      ...this.#audit.body({ server, tool, digest, descriptionDigest, by, askId }),
    }
    return (await this.#engine.run(acceptDefinition, params)).length > 0
  }

  #stored(row: DefinitionRow): StoredDefinition {
    const accepted = acceptedIn(row)
    const { digest, descriptionDigest, text, acceptedBy } = accepted
    // Only the first definition is accepted without a person.
    const isClaimed = row.accepted_at !== null && (row.is_first === 1 || acceptedBy !== '')
    const isAccepted = isClaimed && isSignedDefinition(this.#keys, accepted, row.signature ?? '')
    return {
      digest,
      descriptionDigest,
      text,
      isFirst: row.is_first === 1,
      seenAtMs: row.seen_at,
      isAccepted,
      unverified: isAccepted ? '' : (row.signature ?? ''),
      ...(row.ask_id === null ? {} : { askId: row.ask_id }),
    }
  }
}

function acceptedIn(row: DefinitionRow): AcceptedDefinition {
  const { tenant, server, tool, digest, description_digest: descriptionDigest, definition: text } = row
  return { tenant, server, tool, digest, descriptionDigest, text, acceptedBy: row.accepted_by ?? '' }
}

function keyOf({ tenant, server, tool }: ToolName, { digest, descriptionDigest }: PinnedDefinition): DefinitionKey {
  return { tenant, server, tool, digest, description_digest: descriptionDigest }
}
