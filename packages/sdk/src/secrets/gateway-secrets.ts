// Pages at the gateway that this server stands behind.
//
// The gateway knows the person, shows them the page, and keeps what they hand over, which it cannot read, until this server
// fetches it. It says yes to the page's question only after that, so the value is there when it is asked for.

import { randomBytes } from 'node:crypto'
import { AssentError, newId, type SealedSecret } from '@assent/core'
import { sdkLimits } from '../limits.ts'
import { openSecret, publicKeyOf } from './sealed.ts'
import type { Secrets } from './secrets.ts'

export interface GatewaySecretsOptions {
  /** Where the gateway is. Unless given, ASSENT_SECRETS_URL, which it sets for servers that it starts. */
  readonly url?: string
  /** This server's credential there. Unless given, ASSENT_SECRETS_TOKEN. */
  readonly token?: string
  /**
   * 32 random bytes of this server's own, the same on every replica; the gateway must not have it. Unless given,
   * ASSENT_SECRETS_KEY in base64; without that every process makes its own, and opens only what was asked for by it.
   */
  readonly key?: Uint8Array
  /** Only for tests. */
  readonly nowMs?: () => number
}

const keyBytes = 32
const nowhere =
  'There is no page to hand a secret over on. Put this server behind an Assent gateway whose configuration allows it ' +
  'secrets, or run the tool in a terminal. Nobody was asked.'

/** Without a gateway nothing fails until a secret is asked for; that ask is then refused. */
export function gatewaySecrets(options: GatewaySecretsOptions = {}): Secrets {
  const { env } = process
  const url = options.url ?? env.ASSENT_SECRETS_URL ?? ''
  const token = options.token ?? env.ASSENT_SECRETS_TOKEN ?? ''
  const key = options.key ?? keyFrom(env.ASSENT_SECRETS_KEY)
  const nowMs = options.nowMs ?? Date.now
  if (key.length !== keyBytes) throw new AssentError('misconfigured', `The key for secrets has ${keyBytes} bytes.`)
  if (url === '' && token === '') return { problem: nowhere, open: refuse, value: refuse }
  if (url === '' || token === '' || !URL.canParse(url)) {
    throw new AssentError('misconfigured', 'Secrets need both: the address of the gateway, and the token for it.')
  }
  const ask = (method: string, path: string, more: { body?: object; signal?: AbortSignal | undefined } = {}) =>
    request(new URL(`/server/secrets/${path}`, url), method, token, more)
  return {
    open: async ({ expiresAtMs }) => {
      const id = newId('secret', nowMs(), randomBytes)
      const body = { publicKey: publicKeyOf(key, id), decideWithinMs: Math.max(1_000, expiresAtMs - nowMs()) }
      const { url: page } = (await ask('PUT', id, { body })) as { url: string }
      return { id, url: page }
    },
    value: async (id, { signal }) => {
      const collected = (await ask('POST', `${id}/collect`, { body: {}, signal })) as Collected
      if (collected.state !== 'ready') throw notHanded(collected.state)
      const { sealed, server, principal } = collected
      return openSecret(key, sealed, { page: id, server, principal })
    },
    release: async (id) => {
      await ask('DELETE', id)
    },
  }
}

async function refuse(): Promise<never> {
  throw new AssentError('not_supported', nowhere)
}

type Collected =
  | { readonly state: 'ready'; readonly sealed: SealedSecret; readonly server: string; readonly principal: string }
  | { readonly state: NotReady }
type NotReady = 'open' | 'unbound' | 'released' | 'declined' | 'cancelled' | 'expired' | 'withdrawn'

function notHanded(state: NotReady): AssentError {
  switch (state) {
    case 'declined':
      return new AssentError('declined', 'The person declined to hand it over.')
    case 'expired':
      return new AssentError('timed_out', 'It was not handed over in time.')
    case 'unbound':
      return new AssentError(
        'not_supported',
        'The question did not pass through the gateway that has the page, so nobody could hand anything over. ' +
          'Connect clients to the gateway.',
      )
    case 'released':
      return new AssentError('cancelled', 'It was fetched by a call that has ended, and is no longer kept.')
    default:
      return new AssentError('cancelled', 'It was not handed over.')
  }
}

async function request(
  url: URL,
  method: string,
  token: string,
  { body, signal }: { body?: object; signal?: AbortSignal | undefined },
): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  let last: unknown
  // All three requests can be made twice without harm, and a connection that broke off says nothing.
  for (let tries = 0; tries < sdkLimits.secretTries; tries++) {
    const patience = AbortSignal.timeout(sdkLimits.secretRequestMs)
    const stop = signal === undefined ? patience : AbortSignal.any([signal, patience])
    try {
      const response = await fetch(url, { method, headers, ...content, signal: stop, redirect: 'error' })
      return await answerOf(response)
    } catch (error) {
      if (error instanceof AssentError || signal?.aborted === true) throw error
      last = error
    }
  }
  throw new AssentError('channel_closed', `The gateway at ${url.origin} cannot be reached.`, { cause: last })
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const said: unknown = await response.json()
  if (response.ok) return said
  const told = typeof said === 'object' && said !== null && 'message' in said ? String(said.message) : ''
  if (response.status === 404) throw new AssentError('timed_out', 'The page is no longer there.')
  const code = response.status === 429 ? 'limit_exceeded' : 'misconfigured'
  throw new AssentError(code, `The gateway refuses a page for a secret (${response.status}). ${told}`)
}

function keyFrom(text: string | undefined): Uint8Array {
  return new Uint8Array(text === undefined ? randomBytes(keyBytes) : Buffer.from(text, 'base64'))
}
