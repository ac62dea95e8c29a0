// The address of a resource as it may be recorded: without user names and passwords, and without what looks like a secret.

import { looksLikeSecret } from '@assent/core'
import { isSecretName, leftOut } from './screened-arguments.ts'

/** Up to the last "@" of the authority: a token in place of the user name is a secret too. */
const userInfo = /^([^/?#]*:)?\/\/[^/?#]*@/
/** Signatures of addresses that give access by themselves, and codes of a sign-in. */
const signingNames = /^(?:code|key|sig|sign|signature|x-(?:amz|goog)-(?:credential|signature))$/i
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Long, of the characters of encoded bytes, with letters and digits: not a word and not a number. */
const tokenLike = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{24,}$/i

export function screenedUri(uri: string): string {
  const queryAt = uri.search(/[?#]/)
  const path = queryAt === -1 ? uri : uri.slice(0, queryAt)
  const rest = queryAt === -1 ? '' : uri.slice(queryAt)
  const segments = path.replace(userInfo, `$1//${leftOut}@`).split('/').map(screenedSegment).join('/')
  // The fragment has the same format where it carries a token.
  const screened = segments + rest.replace(/[^?#&;]+/g, screenedParameter)
  return looksLikeSecret(decoded(screened)) === undefined ? screened : leftOut
}

/** Whether a part of this address was left out. */
export function isScreenedUri(target: string): boolean {
  return target.includes(leftOut)
}

function screenedSegment(segment: string): string {
  return looksLikeSecret(decoded(segment)) === undefined ? segment : leftOut
}

function screenedParameter(parameter: string): string {
  const equalsAt = parameter.indexOf('=')
  const name = decoded(parameter.slice(0, Math.max(0, equalsAt)))
  const value = decoded(parameter.slice(equalsAt + 1))
  const isSecret = looksLikeSecret(value) !== undefined || (tokenLike.test(value) && !uuid.test(value))
  const isNamed = name !== '' && value !== '' && (isSecretName(name) || signingNames.test(name))
  return isSecret || isNamed ? `${parameter.slice(0, equalsAt + 1)}${leftOut}` : parameter
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not encoded text: it is compared as it is.
    return text
  }
}
