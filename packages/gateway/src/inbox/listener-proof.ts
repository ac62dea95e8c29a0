// How the process that serves an inbox proves that it is that process, and no other program that got hold of the port.
//
// The page, or a command, sends a challenge; the listener answers with an HMAC that only it can make. Under the HMAC is the
// port that the listener believes it is reached at, so that a program at another port cannot pass the challenge on, and
// what the proof is for, so that one kind does not pass for the other.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** To a browser, with the secret that it got when it signed in. The nonce is what it signs next. */
export function proofForBrowser(secret: string, challenge: string, port: string, nonce: string): string {
  return mac(Buffer.from(secret, 'base64url'), ['assent listener for a browser v1', challenge, port, nonce])
}

export interface ListenerView {
  /** This process, and no other one: a sign-in code is for one of them. */
  readonly instance: string
  /** Where browsers reach it. */
  readonly origin: string
  /** One for each key that the listener has. */
  readonly proofs: readonly string[]
}

/** To other processes of the same installation, with the keys that all of them have. */
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

/**
 * Asks the listener at this address to prove that it has one of these keys. Undefined when nobody answers, or somebody
 * who cannot.
 */
export async function askListener(
  address: URL,
  keys: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<Omit<ListenerView, 'proofs'> | undefined> {
  const challenge = randomBytes(32).toString('base64url')
  const view = await replyTo(new URL(`${listenerPath}?challenge=${challenge}`, reachable(address)), signal)
  if (view === undefined || !URL.canParse(view.origin)) return undefined
  // The port that was asked, not the one that the answer names: a program at this port may have passed the challenge on.
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
    // Nobody is there, or it is not an inbox.
    return undefined
  }
}

/** The IPv4 address for `localhost`: a listener of ours has that one at least, and then the other one too. */
function reachable(address: URL): URL {
  const url = new URL(address)
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  return url
}

/** What a URL leaves out for http is 80. */
export function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port
}

function programProof(key: Uint8Array, challenge: string, port: string, instance: string, origin: string): string {
  return mac(key, ['assent listener for programs v1', challenge, port, instance, origin])
}

function mac(key: Uint8Array, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url')
}

function isSame(given: unknown, expected: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The key of an installation that its listener proves itself with, made from one that seals. */
export function listenerKey(secret: Uint8Array): Uint8Array {
  return createHmac('sha256', secret).update('assent inbox listener v2').digest()
}
