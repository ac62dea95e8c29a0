// The exact action that a server written with our SDK declares in its question for an approval.
//
// Over MCP an approval is a form with a text. Beside it the SDK sends the canonical bytes of the action, and the gateway
// draws the approval from them and computes the digest itself. It stays a declaration of the server: the digest is the one
// that the server's gate compares with what it is about to run.

import { type Action, actionDigest } from '../digest/action.ts'
import { canonicalJson } from '../digest/canonical.ts'
import { parseJsonStrictly } from '../digest/parse.ts'
import { isAssentError } from '../errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { askLimits } from '../limits.ts'

export interface DeclaredAction {
  /** A short title of what will happen, in the server's words. */
  readonly title: string
  readonly action: Action
  /** Of `action`, computed by us. */
  readonly digest: string
  /** The server's own description of it. */
  readonly claim?: string
  readonly reason?: string
}

/** In `_meta` of a question, beside `askMetaKey`. */
export const actionMetaKey = 'assent/action'

/** The member of `_meta`. The action is sent as its canonical bytes, so that both sides compute the same digest. */
export function actionMeta({ action, digest: _recomputed, ...rest }: DeclaredAction): JsonObject {
  return { [actionMetaKey]: { ...rest, action: canonicalJson(action) } }
}

/** The member of these params, if it is valid, for a copy of the question. */
export function actionMetaOf(params: unknown): JsonObject {
  const declared = readDeclaredAction(params)
  return declared === undefined ? {} : actionMeta(declared)
}

/** Undefined if there is none, or if anything is wrong with it. The question is then shown like any other one. */
export function readDeclaredAction(params: unknown): DeclaredAction | undefined {
  const meta = isPlainObject(params) ? params._meta : undefined
  const member = isPlainObject(meta) && Object.hasOwn(meta, actionMetaKey) ? meta[actionMetaKey] : undefined
  if (!isPlainObject(member)) return undefined
  const { title, action: bytes, claim, reason } = member
  const texts = [title, claim, reason].filter((text) => text !== undefined)
  if (typeof title !== 'string' || title.trim() === '' || typeof bytes !== 'string' || !texts.every(isText))
    return undefined
  const read = readAction(bytes)
  if (read === undefined) return undefined
  return {
    title,
    ...read,
    ...(claim === undefined ? {} : { claim: claim as string }),
    ...(reason === undefined ? {} : { reason: reason as string }),
  }
}

function readAction(bytes: string): Pick<DeclaredAction, 'action' | 'digest'> | undefined {
  try {
    const action = parseJsonStrictly(bytes) as unknown as Action
    const digest = actionDigest(action)
    return canonicalJson(action) === bytes ? { action, digest } : undefined
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function isText(text: unknown): boolean {
  return typeof text === 'string' && text.length <= askLimits.messageChars && text.isWellFormed()
}
