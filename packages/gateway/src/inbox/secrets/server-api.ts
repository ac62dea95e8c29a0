// The API for servers about pages for secrets: open one, collect the secret, release it.
//
// Without a valid server token every request is refused in the same way, and a page of another server returns 404.
// Every request is safe to repeat after a lost connection.

import { type Ask, isId, secretLimits } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { readJsonBody } from '../body.ts'
import { inboxLimits, secretPageLimits } from '../limits.ts'
import { notFound, problem, problemOf } from '../problem.ts'
import type { Fetch } from '../serve-node.ts'
import { secretPageRefusals } from '../text/requests.ts'
import type { SecretPages } from './secret-pages.ts'

const serverPath = '/server/secrets/'

/** Servers have no cookie and no origin: they are authenticated by their token only. */
export function isServerRequest(request: Request): boolean {
  return new URL(request.url).pathname.startsWith(serverPath)
}

export interface ServerApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly pages: SecretPages
  readonly onError: (error: unknown) => void
}

export function serverApi(options: ServerApiOptions): Fetch {
  return async (request) => {
    try {
      const response = await respond(options, request)
      response.headers.set('cache-control', 'no-store')
      return response
    } catch (error) {
      const refusal = problemOf(error)
      if (refusal !== undefined) return refusal
      options.onError(error)
      return problem('unavailable', secretPageRefusals.internal)
    }
  }
}

async function respond({ store, tenant, pages }: ServerApiOptions, request: Request): Promise<Response> {
  const [, token] = /^Bearer ([\x21-\x7e]{16,4096})$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const server = token === undefined ? undefined : pages.credentials.serverOf(token)
  if (server === undefined) return problem('signed-out', secretPageRefusals.token)
  const [id = '', action, ...rest] = new URL(request.url).pathname.slice(serverPath.length).split('/')
  if (!isId(id, 'secret') || rest.length > 0) return notFound()
  const key = { tenant, id, server }
  if (request.method === 'PUT' && action === undefined) return open(pages, server, id, request)
  if (request.method === 'POST' && action === 'collect') return collect(store, key)
  if (request.method === 'DELETE' && action === undefined) {
    return (await store.secrets.release(key)) ? new Response(null, { status: 204 }) : notFound()
  }
  return notFound()
}

async function open(pages: SecretPages, server: string, id: string, request: Request): Promise<Response> {
  const read = await readJsonBody(request, inboxLimits.secretPageBytes)
  if (!read.ok) return read.response
  const { publicKey, decideWithinMs } = read.body
  const isKey = typeof publicKey === 'string' && /^[\w-]+$/.test(publicKey)
  if (!isKey || publicKey.length > secretLimits.publicKeyChars) {
    return problem('malformed', secretPageRefusals.publicKey)
  }
  if (typeof decideWithinMs !== 'number' || !Number.isSafeInteger(decideWithinMs) || decideWithinMs < 1) {
    return problem('malformed', secretPageRefusals.lifetime)
  }
  const withinMs = Math.min(decideWithinMs, relayLimits.askWaitMs)
  const url = await pages.open(server, id, publicKey, withinMs)
  return url === undefined ? problem('too-many', secretPageRefusals.tooMany) : Response.json({ url }, { status: 201 })
}

async function collect(store: Store, key: { tenant: string; id: string; server: string }): Promise<Response> {
  const collected = await store.secrets.collect(key, secretPageLimits.collections)
  if (collected === undefined) return notFound()
  if (collected.kind === 'ready') {
    const { principal, sealed } = collected
    return Response.json({ state: 'ready', server: key.server, principal, sealed: JSON.parse(sealed) as unknown })
  }
  if (collected.kind !== 'empty') return Response.json({ state: collected.kind })
  return Response.json({ state: stateOf(await store.asks.read(key.tenant, collected.askId)) })
}

const answered = { accept: 'released', decline: 'declined', cancel: 'cancelled' } as const

/** Why there is nothing to collect. */
function stateOf(ask: Ask | undefined): string {
  if (ask === undefined) return 'withdrawn'
  return ask.state.kind === 'settled' ? answered[ask.state.answer.action] : ask.state.kind
}
