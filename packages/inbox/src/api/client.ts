// Requests to the gateway, and the one translator of what can go wrong with them.
//
// Where this browser has a key, a request is signed with it, and only after the listener has proved that it is the one that
// the person signed in at: another program may have taken its port. A request that was refused because its nonce had gone
// stale is signed anew, once.

import type { InboxProblem, NonceView, SignedInView } from '@assent/core'
import { dropSession, isProved, keptSession, needsKey, newKey, proofOf, randomText } from './browser-key.ts'

/** Thrown by queries; told apart by `problem.code`. */
class Failed extends Error {
  readonly problem: InboxProblem

  constructor(problem: InboxProblem) {
    super(problem.message)
    this.name = 'Failed'
    this.problem = problem
  }
}

const ours = { 'content-type': 'application/json', 'assent-inbox': '1' }
/** How long the listener may take to prove itself, and how long a proof serves for reading. */
const proveWithinMs = 5_000
const provedForMs = 20_000

export async function get<T>(path: string): Promise<T> {
  return read<T>(await reach(path, { method: 'GET' }))
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return read<T>(await reach(path, { method: 'POST', headers: ours, body: JSON.stringify(body) }))
}

/** Signs in with the code of a link. */
export async function signInWith(code: string): Promise<void> {
  const send = (body: object) => plain('/api/sign-in', { method: 'POST', headers: ours, body: JSON.stringify(body) })
  if (!needsKey) return read(await send({ code }))
  const key = await newKey().catch(() => {
    throw new Failed({ code: 'refused', message: cannotKeep })
  })
  await key.keep(await read<SignedInView>(await send({ code, publicKey: key.publicKey })))
}

export async function signOut(): Promise<void> {
  await post('/api/sign-out', {}).catch(() => undefined)
  await dropSession()
}

/** A stream of server-sent events, as it opens. */
export function openStream(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  proveAgain()
  return reach(path, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, signal })
}

/** After a connection broke: another program may have the port now. */
export function proveAgain(): void {
  proved = undefined
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}

async function reach(path: string, sent: Sent): Promise<Response> {
  const kept = await keptSession()
  if (kept === undefined) return plain(path, sent)
  // What changes anything goes to a listener that has proved itself just now.
  if (sent.method === 'POST') proveAgain()
  const attempt = async () => {
    const nonce = await verifiedNonce()
    const proof = await proofOf(kept, nonce, { method: sent.method, path, body: sent.body ?? '' })
    return plain(path, { ...sent, headers: { ...sent.headers, 'assent-proof': proof } })
  }
  const response = await attempt()
  if (response.status !== 401 || (await problemIn(response.clone()))?.code !== 'unverified') return response
  proveAgain()
  return attempt()
}

let proved: { readonly nonce: Promise<string>; readonly atMs: number } | undefined

/** A nonce of a listener that proved itself, one for all requests of some seconds. */
async function verifiedNonce(): Promise<string> {
  if (proved === undefined || performance.now() - proved.atMs > provedForMs) {
    proved = { nonce: askForNonce(), atMs: performance.now() }
  }
  const { nonce } = proved
  try {
    return await nonce
  } catch (error) {
    if (proved?.nonce === nonce) proved = undefined
    throw error
  }
}

async function askForNonce(): Promise<string> {
  const kept = await keptSession()
  if (kept === undefined) throw new Failed({ code: 'signed-out', message: 'Sign in first.' })
  const challenge = randomText(32)
  const response = await plain(`/api/nonce?challenge=${challenge}`, {
    method: 'GET',
    headers: { 'assent-session': kept.session },
    signal: AbortSignal.timeout(proveWithinMs),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status === 401 && isProblem(body) && body.code === 'signed-out') throw new Failed(body)
  if (response.status === 503 && isProblem(body)) throw new Failed(body)
  if (response.ok && isNonce(body) && (await isProved(kept, challenge, body).catch(() => false))) return body.nonce
  throw new Failed({ code: 'unverified', message: notTheInbox })
}

async function plain(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, redirect: 'error' })
  } catch {
    proveAgain()
    throw new Failed({
      code: 'unavailable',
      message: 'The gateway cannot be reached. Nothing is lost: the ask stays open, and you can try again.',
    })
  }
}

async function read<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  if (isProblem(body)) throw new Failed(body)
  throw new Failed({ code: 'unavailable', message: `The gateway answered with ${response.status} and no reason.` })
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
  if (error instanceof Failed) return error.problem
  return { code: 'unavailable', message: 'Something went wrong on this page. Reload it: the ask is not lost.' }
}

const cannotKeep =
  'This browser does not let the page keep a key, which the inbox needs to know it again. Private windows and blocked site data cause this. Open the same link in an ordinary window: it was not used up.'

const notTheInbox =
  'The program that answers at this address could not prove that it is your inbox. Nothing was sent to it.'
