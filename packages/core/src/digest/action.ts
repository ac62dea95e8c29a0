// What a person approves and what a call is about, as digests.
//
// An approval names bytes: the server and tool, the definition the tool had when it was approved, and the arguments.
// This module makes those names; comparing them before the call, and using an approval up, is the gate's work.

import { AssentError } from '../errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { requestLimits } from '../limits.ts'
import { digestOf, isDigest } from './digest.ts'

export interface Action {
  /** The server's name in our configuration, never the one it gives itself. */
  readonly server: string
  readonly tool: string
  readonly definitionDigest: string
  readonly arguments: JsonObject
}

/** The parts of a call that stay the same when it is made again with the answers. */
export interface RequestIdentity {
  readonly method: string
  /** The tool, prompt or resource it is about. */
  readonly target: string
  readonly arguments: JsonObject
}

// Nobody has to look at a request, so it may be as large as a message; an action is shown to a person.
const sizeOfRequest = { bytes: requestLimits.bytes, depth: requestLimits.depth }
const actionNames = ['server', 'tool', 'definitionDigest', 'arguments']
const requestNames = ['method', 'target', 'arguments']

export function actionDigest(action: Action): string {
  if (!hasExactly(action, actionNames) || !isDigest(action.definitionDigest)) {
    throw malformed('An action is a server, a tool, the digest of its definition, and arguments; nothing else.')
  }
  return digestOf('action v1', action)
}

export function requestDigest(request: RequestIdentity): string {
  if (!hasExactly(request, requestNames)) {
    throw malformed('A request is a method, a target and arguments; nothing else.')
  }
  return digestOf('request v1', request, sizeOfRequest)
}

/**
 * Over everything the server declared, known to us or not: a tool that changes what it says about itself after it was
 * approved is another tool.
 */
export function toolDefinitionDigest(definition: unknown): string {
  if (!isPlainObject(definition) || !isNamed(definition.name)) throw malformed('A tool definition needs a name.')
  return digestOf('tool definition v1', definition)
}

/** Exactly, because a member that we did not expect may be one that somebody thinks was approved. */
function hasExactly(value: unknown, names: readonly string[]): boolean {
  if (!isPlainObject(value) || Object.keys(value).length !== names.length) return false
  return names.every((name) => (name === 'arguments' ? isPlainObject(value[name]) : isNamed(value[name])))
}

function isNamed(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function malformed(message: string): AssentError {
  return new AssentError('not_canonical', message)
}
