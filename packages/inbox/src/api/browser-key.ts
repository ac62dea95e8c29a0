// The key of this browser: what a session of the local inbox belongs to, and how a request is signed with it.
//
// Owns: one record in IndexedDB with a private key that nobody can read, this page included; the name of the session; and
//   the secret that the listener proves itself with. Over https there is none, and a cookie carries the session.
// I1  Nothing is signed before the listener has proved that it is the one this browser signed in at (`verifiedNonce`).
// The gateway reads the same in packages/gateway/src/inbox/signed-request.ts and listener-proof.ts.

import type { NonceView, SignedInView } from '@assent/core'

interface Kept {
  readonly session: string
  readonly privateKey: CryptoKey
  readonly listenerKey: CryptoKey
}

const database = 'assent'
const table = 'browser'
const record = 'session'
const draft = 'new'

let known: Promise<Kept | undefined> | undefined
/** Other tabs of this browser: a person may sign in or out in any of them. */
const tabs = new BroadcastChannel('assent-browser-key')
tabs.onmessage = () => forget()

export function keptSession(): Promise<Kept | undefined> {
  known ??= read(record).catch(() => undefined)
  return known
}

/** Over plain http a browser signs in with a key of its own. */
export const needsKey: boolean = location.protocol === 'http:'

export interface NewKey {
  readonly publicKey: string
  /** Once the session is there. */
  keep(view: SignedInView): Promise<void>
}

/** Throws when this browser cannot make a key, or cannot keep one: before a link is used up for it. */
export async function newKey(): Promise<NewKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  await write(draft, privateKey)
  await erase(draft)
  const point = await crypto.subtle.exportKey('raw', publicKey)
  return {
    publicKey: toBase64url(new Uint8Array(point)),
    keep: async ({ session, listenerSecret }) => {
      const secret = fromBase64url(listenerSecret)
      const listenerKey = await crypto.subtle.importKey('raw', secret, hmac, false, ['verify'])
      await write(record, { session, privateKey, listenerKey })
      forget()
      tabs.postMessage('changed')
    },
  }
}

/** After signing out. */
export async function dropSession(): Promise<void> {
  await erase(record).catch(() => undefined)
  forget()
  tabs.postMessage('changed')
}

/** Whether the listener made this proof, for the challenge of this page and for this port. */
export async function isProved(
  { listenerKey }: Kept,
  challenge: string,
  { nonce, proof }: NonceView,
): Promise<boolean> {
  const said = ['assent listener for a browser v1', challenge, location.port || '80', nonce].join('\n')
  return crypto.subtle.verify('HMAC', listenerKey, fromBase64url(proof), bytesOf(said))
}

/** The header that goes with one request, and with no other one. */
export async function proofOf(
  { session, privateKey }: Kept,
  nonce: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string },
): Promise<string> {
  const { pathname, search } = new URL(path, location.origin)
  const requestId = randomText(16)
  const digest = toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(body))))
  const text = ['assent inbox request v1', method, pathname + search, digest, session, nonce, requestId].join('\n')
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(text))
  return [session, nonce, requestId, digest, toBase64url(new Uint8Array(signature))].join('.')
}

export function randomText(bytes: number): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const hmac = { name: 'HMAC', hash: 'SHA-256' }

function forget(): void {
  known = undefined
}

async function read(key: string): Promise<Kept | undefined> {
  return (await inTable('readonly', (rows) => rows.get(key))) as Kept | undefined
}

async function write(key: string, value: unknown): Promise<void> {
  await inTable('readwrite', (rows) => rows.put(value, key))
}

async function erase(key: string): Promise<void> {
  await inTable('readwrite', (rows) => rows.delete(key))
}

/** Opened for each step and closed after it: a tab that is asleep must not keep others from it. */
async function inTable(mode: IDBTransactionMode, step: (rows: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(table)
  const opened = (await doneWith(opening)) as IDBDatabase
  try {
    const transaction = opened.transaction(table, mode)
    const result = await doneWith(step(transaction.objectStore(table)))
    return result
  } finally {
    opened.close()
  }
}

function doneWith(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing for this page.'))
  })
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function toBase64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
