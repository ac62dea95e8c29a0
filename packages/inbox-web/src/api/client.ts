// Requests to the gateway. Every failure becomes an `InboxProblem`.
//
// If this browser has a key, requests are signed with it, but only after the listener has proved that it is the one the
// person signed in at: another program may have taken its port. A request refused for an expired nonce is signed again, once.

import type { InboxProblem, NonceView, SignedInView } from '@assent/core'
import {
  createKey,
  dropSession,
  isListenerProofValid,
  needsKey,
  randomText,
  signRequest,
  storedSession,
} from './browser-key.ts'
import { recordLost, recordReply } from './connection.ts'

/** Thrown by queries; distinguished by `problem.code`. */
class ApiError extends Error {
  readonly problem: InboxProblem

  constructor(problem: InboxProblem) {
    super(problem.message)
    this.name = 'ApiError'
    this.problem = problem
  }
}

const ownHeaders = { 'content-type': 'application/json', 'assent-inbox': '1' }
/** How long the listener may take to prove itself, and how long its proof is accepted for reads. */
const proofTimeoutMs = 5_000
const proofValidMs = 20_000

export async function get<T>(path: string): Promise<T> {
  return read<T>(await sendRequest(path, { method: 'GET' }))
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return read<T>(await sendRequest(path, { method: 'POST', headers: ownHeaders, body: JSON.stringify(body) }))
}

/** Signs in with the code from a sign-in link. A browser that is signed in keeps its session. */
export async function signInWith(code: string): Promise<void> {
  if (await isSignedIn()) return post('/api/sign-in/skip', { code })
  const send = (body: object) =>
    fetchUnsigned('/api/sign-in', { method: 'POST', headers: ownHeaders, body: JSON.stringify(body) })
  if (!needsKey) return read(await send({ code }))
  const key = await createKey().catch(() => {
    throw new ApiError({ code: 'refused', message: cannotStoreKey })
  })
  await key.save(await read<SignedInView>(await send({ code, publicKey: key.publicKey })))
}

async function isSignedIn(): Promise<boolean> {
  if (needsKey && (await storedSession()) === undefined) return false
  return get('/api/me').then(
    () => true,
    () => false,
  )
}

/** Throws if the gateway may not have ended the session. */
export async function signOut(): Promise<void> {
  await post('/api/sign-out', {}).catch((error: unknown) => {
    if (problemOf(error).code !== 'signed-out') throw error
  })
  await dropSession()
}

/** The response of a stream of server-sent events. */
export function openStream(path: string, signal: AbortSignal): Promise<Response> {
  discardListenerProof()
  return sendRequest(path, { method: 'GET', headers: { accept: 'text/event-stream' }, signal })
}

/** Called after a lost connection: another program may have the port now. */
export function discardListenerProof(): void {
  listenerProof = undefined
}

interface RequestParts {
  readonly method: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}

async function sendRequest(path: string, sent: RequestParts): Promise<Response> {
  const stored = await storedSession()
  if (stored === undefined) return fetchUnsigned(path, sent)
  // A request that changes something goes only to a listener that has just proved itself.
  if (sent.method === 'POST') discardListenerProof()
  const attempt = async () => {
    const nonce = await verifiedNonce()
    const proof = await signRequest(stored, nonce, { method: sent.method, path, body: sent.body ?? '' })
    return fetchUnsigned(path, { ...sent, headers: { ...sent.headers, 'assent-proof': proof } })
  }
  const response = await attempt()
  if (response.status !== 401 || (await problemIn(response.clone()))?.code !== 'unverified') return response
  discardListenerProof()
  return attempt()
}

let listenerProof: { readonly nonce: Promise<string>; readonly atMs: number } | undefined

/** A nonce from a listener that proved itself; shared by all requests for `proofValidMs`. */
async function verifiedNonce(): Promise<string> {
  if (listenerProof === undefined || performance.now() - listenerProof.atMs > proofValidMs) {
    listenerProof = { nonce: requestNonce(), atMs: performance.now() }
  }
  const { nonce } = listenerProof
  try {
    return await nonce
  } catch (error) {
    if (listenerProof?.nonce === nonce) listenerProof = undefined
    throw error
  }
}

async function requestNonce(): Promise<string> {
  const stored = await storedSession()
  if (stored === undefined) throw new ApiError({ code: 'signed-out', message: 'Sign in first.' })
  const challenge = randomText(32)
  const response = await fetchUnsigned(`/api/nonce?challenge=${challenge}`, {
    method: 'GET',
    headers: { 'assent-session': stored.session },
    signal: AbortSignal.timeout(proofTimeoutMs),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status === 401 && isProblem(body) && body.code === 'signed-out') throw new ApiError(body)
  if (response.status === 503 && isProblem(body)) throw new ApiError(body)
  if (response.ok && isNonce(body) && (await isListenerProofValid(stored, challenge, body).catch(() => false)))
    return body.nonce
  throw new ApiError({ code: 'unverified', message: notTheInbox })
}

async function fetchUnsigned(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { ...init, redirect: 'error' })
    recordReply()
    return response
  } catch (error) {
    discardListenerProof()
    // A request that this page itself ended says nothing about the inbox.
    if (!(error instanceof DOMException && error.name === 'AbortError')) recordLost()
    throw new ApiError({ code: 'unavailable', message: 'The inbox cannot be reached.' })
  }
}

async function read<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  if (isProblem(body)) throw new ApiError(body)
  throw new ApiError({
    code: 'unavailable',
    message: `The gateway returned status ${response.status} without a reason.`,
  })
}

async function problemIn(response: Response): Promise<InboxProblem | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  return isProblem(body) ? body : undefined
}

function isProblem(body: unknown): body is InboxProblem {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body
}

function isNonce(body: unknown): body is NonceView {
  if (typeof body !== 'object' || body === null || !('nonce' in body) || !('proof' in body)) return false
  return typeof body.nonce === 'string' && typeof body.proof === 'string'
}

export function problemOf(error: unknown): InboxProblem {
  if (error instanceof ApiError) return error.problem
  return { code: 'unavailable', message: 'Something went wrong on this page. Reload it; no ask is lost.' }
}

const cannotStoreKey =
  'This browser does not let the page store a key, which the inbox needs to recognise this browser. Private windows and blocked site data cause this. Open the same link in a normal window: it is still valid.'

const notTheInbox = 'The program at this address could not prove that it is your inbox. Nothing was sent to it.'
