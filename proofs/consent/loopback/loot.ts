// A hostile program sends everything that it received (headers, tokens, whole requests) to the real inbox.

import { fromOurPage } from '../../../test-kit/gateway/signing-browser.ts'
import { type Received, rawRequest } from './raw-http.ts'
import { acceptance } from './scene.ts'
import type { AttackTally } from './tally.ts'

export interface Victim {
  /** The origin of the real inbox. */
  readonly port: number
  readonly target: { readonly id: string }
}

/** All requests must be refused; `what` names the source of the pieces. */
export async function useAll(
  { port, target }: Victim,
  received: readonly Received[],
  tally: AttackTally,
  what: string,
): Promise<void> {
  const host = `localhost:${port}`
  const ours = { ...fromOurPage(`http://${host}`), host }
  const answer = `/api/asks/${target.id}/answer`
  for (const headers of distinct(received.flatMap(piecesOf))) {
    for (const path of ['/api/asks', '/api/changes']) {
      tally.refused(`${what}: ${path}`, await rawRequest({ port, path, headers: { host, ...headers } }))
    }
    const posted = { port, method: 'POST', path: answer, headers: { ...ours, ...headers }, body: acceptance() }
    tally.refused(`${what}: the answer`, await rawRequest(posted))
  }
  for (const { method, path, headers, body } of received) {
    // Unchanged, byte by byte. Anyone who knows the session gets a nonce; it is useless without the key.
    if (!path.startsWith('/api/') || path.startsWith('/api/nonce')) continue
    const { host: _, connection: __, 'content-length': ___, ...same } = headers as Record<string, string>
    const request = { port, method, path, headers: { ...same, host }, ...(method === 'GET' ? {} : { body }) }
    tally.refused(`${what}: ${method} ${path} unchanged`, await rawRequest(request))
  }
}

function piecesOf({ headers }: Received): readonly Record<string, string>[] {
  const proof = String(headers['assent-proof'] ?? '')
  const session = String(headers['assent-session'] ?? proof.split('.')[0])
  const port = String(headers.host).split(':').at(-1)
  return [
    ...(headers.cookie === undefined ? [] : [{ cookie: headers.cookie }]),
    ...(proof === '' ? [] : [{ 'assent-proof': proof }]),
    ...(session === ''
      ? []
      : [{ 'assent-session': session, cookie: `assent-${port}=${session}; __Host-assent=${session}` }]),
  ]
}

function distinct(pieces: readonly Record<string, string>[]): readonly Record<string, string>[] {
  return [...new Map(pieces.map((piece) => [JSON.stringify(piece), piece])).values()]
}
