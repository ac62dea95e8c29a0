// The part of a tool's definition that is pinned when the tool is first called under a policy, and the signature of an
// accepted one.
//
// The name, the input schema and the annotations decide what a call does and how policies judge it. The description has
// its own digest, because whether it counts is a setting that can change later.

import { Buffer } from 'node:buffer'
import { canonicalJson } from '../digest/canonical.ts'
import { digestOf } from '../digest/digest.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { askLimits, requestLimits } from '../limits.ts'
import type { KeyRing } from '../seal/key-ring.ts'

export interface PinnedDefinition {
  /** Of the name, the input schema and the annotations. */
  readonly digest: string
  readonly descriptionDigest: string
  /** The pinned members and the description, as canonical JSON; empty if they are too large to be shown to a person. */
  readonly text: string
}

// A definition may be as large as a message; what a person compares is smaller.
const sizeOfDefinition = { bytes: requestLimits.bytes, depth: requestLimits.depth }

/** Throws an `AssentError` for a definition that has no canonical form. */
export function pinnedDefinition(definition: JsonObject): PinnedDefinition {
  const { name = null, inputSchema = {}, annotations = {}, description } = definition
  const pinned = { name, inputSchema, annotations }
  const described = { description: description ?? null }
  const text = canonicalJson(description === undefined ? pinned : { ...pinned, description }, sizeOfDefinition)
  return {
    digest: digestOf('pinned definition v1', pinned, sizeOfDefinition),
    descriptionDigest: digestOf('tool description v1', described, sizeOfDefinition),
    text: Buffer.byteLength(text, 'utf8') > askLimits.callBytes ? '' : text,
  }
}

/** What the signature of a stored row covers, so that an acceptance cannot be written into the database. */
export interface AcceptedDefinition extends PinnedDefinition {
  readonly tenant: string
  readonly server: string
  readonly tool: string
  /** The principal of the owner who accepted it; empty for the definition at the first call. */
  readonly acceptedBy: string
}

export function signDefinition(ring: KeyRing, accepted: AcceptedDefinition): string {
  const { id, mac } = ring.sealing
  return `v1.${id}.${Buffer.from(mac('definition', statementOf(accepted))).toString('base64url')}`
}

/** Whether a stored definition carries the signature of a key in the ring. */
export function isSignedDefinition(ring: KeyRing, accepted: AcceptedDefinition, signature: string): boolean {
  const [, keyId = ''] = signature.split('.')
  const key = ring.find(keyId)
  return key !== undefined && signDefinition({ sealing: key, all: [key], find: () => key }, accepted) === signature
}

function statementOf({
  tenant,
  server,
  tool,
  digest,
  descriptionDigest,
  text,
  acceptedBy,
}: AcceptedDefinition): string {
  return JSON.stringify([
    'assent tool definition v1',
    ...[tenant, server, tool, digest, descriptionDigest, text, acceptedBy],
  ])
}

/** The definition in a stored text. */
export function definitionIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isPlainObject(value) ? (value as JsonObject) : {}
}
