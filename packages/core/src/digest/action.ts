// Digests of the action that a person approves, of a request, and of a tool definition.
//
// An approval covers the server and tool, the definition that the tool had when it was approved, and the arguments.
// The gate compares digests before the call and marks the approval as used.

import { AssentError } from '../errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { requestLimits } from '../limits.ts'
import { digestOf, isDigest } from './digest.ts'

export interface Action {
  /** The server's name in our configuration, never the name that the server declares. */
  readonly server: string
  readonly tool: string
  readonly definitionDigest: string
  readonly arguments: JsonObject
  /** What is called; a tool by default. `definition`: nothing is called, the arguments are the definitions of the tool. */
  readonly kind?: 'prompt' | 'resource' | 'definition'
}

/** The parts of a call that stay the same when it is made again with the answers. */
export interface RequestIdentity {
  readonly method: string
  /** The tool, prompt or resource it is about. */
  readonly target: string
  readonly arguments: JsonObject
}

// A request may be as large as a message; an action is smaller because it is shown to a person.
const sizeOfRequest = { bytes: requestLimits.bytes, depth: requestLimits.depth }
const actionNames = ['server', 'tool', 'definitionDigest', 'arguments']
const kinds: readonly string[] = ['prompt', 'resource', 'definition']
const requestNames = ['method', 'target', 'arguments']

export function actionDigest(action: Action): string {
  const isNamedKind = isPlainObject(action) && Object.hasOwn(action, 'kind')
  if (isNamedKind && !kinds.includes(action.kind ?? '')) throw malformed('An action is of an unknown kind.')
  const names = isNamedKind ? [...actionNames, 'kind'] : actionNames
  if (!hasExactly(action, names) || !isDigest(action.definitionDigest)) {
    throw malformed('An action must have exactly a server, a tool, the digest of its definition, and arguments.')
  }
  return digestOf('action v1', action)
}

export function requestDigest(request: RequestIdentity): string {
  if (!hasExactly(request, requestNames)) {
    throw malformed('A request must have exactly a method, a target and arguments.')
  }
  return digestOf('request v1', request, sizeOfRequest)
}

/**
 * Covers everything that the server declared, known to us or not: a tool whose definition changes after it was approved
 * is another tool.
 */
export function toolDefinitionDigest(definition: unknown): string {
  if (!isPlainObject(definition) || !isNamed(definition.name)) throw malformed('A tool definition needs a name.')
  return digestOf('tool definition v1', definition)
}

/** Exactly these members: an unexpected one could be taken for approved. */
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
