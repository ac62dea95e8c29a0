// How the process that serves an inbox proves its identity, in case another program has taken its port.
//
// The page, or a command, sends a challenge; the listener returns an HMAC that only it can make. The HMAC covers the
// port that the listener is configured for, so that a program at another port cannot forward the challenge, and the
// purpose of the proof, so that a proof for browsers is not accepted by programs or the reverse.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** For a browser, made with the secret it received at sign-in. The browser signs its next requests with the nonce. */
export function proofForBrowser(secret: string, challenge: string, port: string, nonce: string): string {
  return mac(Buffer.from(secret, 'base64url'), ['assent listener for a browser v1', challenge, port, nonce])
}

export interface ListenerView {
  /** Identifies this process: a sign-in code is valid for one process only. */
  readonly instance: string
  /** The address for browsers. */
  readonly origin: string
  /** One per key of the listener. */
  readonly proofs: readonly string[]
}

/** For other processes of the same installation, made with their shared keys. */
export function proofsForPrograms(
  keys: readonly Uint8Array[],
  challenge: string,
  { instance, origin }: Omit<ListenerView, 'proofs'>,
): ListenerView {
  return {
    instance,
    origin,
    proofs: keys.map((key) => programProof(key, challenge, portOf(new URL(origin)), instance, origin)),
  }
}

export const listenerPath = '/api/listener'
export const challengePattern: RegExp = /^[\w-]{22,64}$/

const replyBytes = 4_096

/** A window with an agent, and the process that proved itself at this address before. */
export interface WindowReport {
  readonly window: string
  readonly to: string
}

/**
 * Asks the listener at this address to prove that it has one of these keys. Undefined when there is no listener, or its
 * proof is invalid.
 *
 * @param report tells the listener that a window uses it. Its proof is useless to another program at this address.
 */
export async function askListener(
  address: URL,
  keys: readonly Uint8Array[],
  signal: AbortSignal,
  report?: WindowReport,
): Promise<Omit<ListenerView, 'proofs'> | undefined> {
  const challenge = randomBytes(32).toString('base64url')
  const search = new URLSearchParams({ challenge })
  const [key] = keys
  if (report !== undefined && key !== undefined)
    search.set('window', `${report.window}.${windowProof(key, report.to, report.window)}`)
  const view = await replyTo(new URL(`${listenerPath}?${search}`, reachable(address)), signal)
  if (view === undefined || !URL.canParse(view.origin)) return undefined
  // The port we connected to, not the one in the response: a program at this port may have forwarded the challenge.
  if (portOf(new URL(view.origin)) !== portOf(address)) return undefined
  const isProved = keys.some((key) => {
    const expected = programProof(key, challenge, portOf(address), view.instance, view.origin)
    return view.proofs.some((proof) => isSame(proof, expected))
  })
  return isProved ? { instance: view.instance, origin: view.origin } : undefined
}

async function replyTo(url: URL, signal: AbortSignal): Promise<ListenerView | undefined> {
  try {
    const reply = await fetch(url, { signal, redirect: 'error' })
    let text = ''
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.length > replyBytes) return undefined
    }
    const view = JSON.parse(text) as Partial<ListenerView> | null
    const isView =
      reply.ok && typeof view?.instance === 'string' && typeof view.origin === 'string' && Array.isArray(view.proofs)
    return isView ? (view as ListenerView) : undefined
  } catch {
    // No listener, or not an inbox.
    return undefined
  }
}

/** 127.0.0.1 for `localhost`: our listeners always have the IPv4 address, and the IPv6 one where there is one. */
function reachable(address: URL): URL {
  const url = new URL(address)
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  return url
}

/** `URL.port` is empty for the default port. */
export function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port
}

function programProof(key: Uint8Array, challenge: string, port: string, instance: string, origin: string): string {
  return mac(key, ['assent listener for programs v1', challenge, port, instance, origin])
}

/** The id of a window and its proof. */
export const windowPattern: RegExp = /^([\w-]{16,64})\.([\w-]{43})$/

export function isWindowProof(keys: readonly Uint8Array[], to: string, window: string, proof: string): boolean {
  return keys.some((key) => isSame(proof, windowProof(key, to, window)))
}

function windowProof(key: Uint8Array, to: string, window: string): string {
  return mac(key, ['assent window of an agent v1', to, window])
}

function mac(key: Uint8Array, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url')
}

function isSame(given: unknown, expected: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The key with which the listeners of an installation prove their identity, derived from its sealing key. */
export function listenerKey(secret: Uint8Array): Uint8Array {
  return createHmac('sha256', secret).update('assent inbox listener v2').digest()
}
