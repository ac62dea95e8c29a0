// What servers ask of the gateway about pages for secrets: open one, collect what was handed over, let go of it.
//
// Whoever has no token of a server hears that and nothing else; a page of another server is a page that does not exist. Each
// request can be made again after a connection broke off.

import { type Ask, isId, secretLimits } from '@assent/core'
import type { Store } from '@assent/store'
import { readJsonBody } from '../inbox/body.ts'
import { notFound, problem, problemOf } from '../inbox/problem.ts'
import type { Fetch } from '../inbox/serve-node.ts'
import { inboxLimits, relayLimits, secretPageLimits } from '../limits.ts'
import type { SecretPages } from './secret-pages.ts'

const serverPath = '/server/secrets/'

/** Servers have no cookie and come from no page: they are asked for their token, and for nothing else. */
export function isForServers(request: Request): boolean {
  return new URL(request.url).pathname.startsWith(serverPath)
}

export interface ServerApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly pages: SecretPages
  readonly onTrouble: (error: unknown) => void
}

export function serverApi(options: ServerApiOptions): Fetch {
  return async (request) => {
    try {
      const response = await respond(options, request)
      response.headers.set('cache-control', 'no-store')
      return response
    } catch (error) {
      const told = problemOf(error)
      if (told !== undefined) return told
      options.onTrouble(error)
      return problem('unavailable', 'Something went wrong at the gateway. Try again.')
    }
  }
}

async function respond({ store, tenant, pages }: ServerApiOptions, request: Request): Promise<Response> {
  const [, token] = /^Bearer ([\x21-\x7e]{16,4096})$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const server = token === undefined ? undefined : pages.credentials.serverOf(token)
  if (server === undefined) return problem('signed-out', 'This needs the token of a server that is allowed secrets.')
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
    return problem('malformed', 'A page is opened with a public key in base64url.')
  }
  if (typeof decideWithinMs !== 'number' || !Number.isSafeInteger(decideWithinMs) || decideWithinMs < 1) {
    return problem('malformed', 'A page is opened for a time in whole milliseconds.')
  }
  const withinMs = Math.min(decideWithinMs, relayLimits.askWaitMs)
  const url = await pages.open(server, id, publicKey, withinMs)
  return url === undefined
    ? problem('too-many', 'Too many pages for secrets are open. Try again when some have been used.')
    : Response.json({ url }, { status: 201 })
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
