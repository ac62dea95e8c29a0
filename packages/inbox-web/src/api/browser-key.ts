// The key of this browser. A session of the local inbox is bound to it, and each request is signed with it.
//
// Owns: one record in IndexedDB with a private key that cannot be exported, even by this page; the session id; and the
//   secret that the listener proves itself with. Over https there is no record: a cookie carries the session.
// I1  Nothing is signed before the listener has proved that it is the one this browser signed in at (`verifiedNonce`).
// The gateway's side is in packages/gateway/src/inbox/signed-request.ts and listener-proof.ts.

import type { NonceView, SignedInView } from '@assent/core'
import { fromBase64url, toBase64url } from './base64url.ts'

interface StoredSession {
  readonly session: string
  readonly privateKey: CryptoKey
  readonly listenerKey: CryptoKey
}

const database = 'assent'
const table = 'browser'
const record = 'session'
const trial = 'new'

let cached: Promise<StoredSession | undefined> | undefined
/** The other tabs of this browser: a person may sign in or out in any of them. */
const tabs = new BroadcastChannel('assent-browser-key')
tabs.onmessage = () => clearCache()

export function storedSession(): Promise<StoredSession | undefined> {
  cached ??= read(record).catch(() => undefined)
  return cached
}

/** Over plain http a browser signs in with its own key. */
export const needsKey: boolean = location.protocol === 'http:'

export interface NewBrowserKey {
  readonly publicKey: string
  /** Called once the gateway has created the session. */
  save(view: SignedInView): Promise<void>
}

/** Throws when this browser cannot create or store a key. Called before the sign-in link is used, so the link stays valid. */
export async function createKey(): Promise<NewBrowserKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  await write(trial, privateKey)
  await erase(trial)
  const point = await crypto.subtle.exportKey('raw', publicKey)
  return {
    publicKey: toBase64url(new Uint8Array(point)),
    save: async ({ session, listenerSecret }) => {
      const secret = fromBase64url(listenerSecret)
      const listenerKey = await crypto.subtle.importKey('raw', secret, hmac, false, ['verify'])
      await write(record, { session, privateKey, listenerKey })
      clearCache()
      tabs.postMessage('changed')
    },
  }
}

/** After signing out. */
export async function dropSession(): Promise<void> {
  await erase(record).catch(() => undefined)
  clearCache()
  tabs.postMessage('changed')
}

/** Whether the listener made this proof for this page's challenge and for this port. */
export async function isListenerProofValid(
  { listenerKey }: StoredSession,
  challenge: string,
  { nonce, proof }: NonceView,
): Promise<boolean> {
  const signed = ['assent listener for a browser v1', challenge, location.port || '80', nonce].join('\n')
  return crypto.subtle.verify('HMAC', listenerKey, fromBase64url(proof), bytesOf(signed))
}

/** The `assent-proof` header. It is valid for this request only. */
export async function signRequest(
  { session, privateKey }: StoredSession,
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

function clearCache(): void {
  cached = undefined
}

async function read(key: string): Promise<StoredSession | undefined> {
  return (await inTable('readonly', (rows) => rows.get(key))) as StoredSession | undefined
}

async function write(key: string, value: unknown): Promise<void> {
  await inTable('readwrite', (rows) => rows.put(value, key))
}

async function erase(key: string): Promise<void> {
  await inTable('readwrite', (rows) => rows.delete(key))
}

/** Opens the database for each operation and closes it afterwards: a suspended tab must not block the others. */
async function inTable(mode: IDBTransactionMode, operation: (rows: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(table)
  const opened = (await resultOf(opening)) as IDBDatabase
  try {
    const transaction = opened.transaction(table, mode)
    const result = await resultOf(operation(transaction.objectStore(table)))
    return result
  } finally {
    opened.close()
  }
}

function resultOf(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The browser stores no data for this page.'))
  })
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
