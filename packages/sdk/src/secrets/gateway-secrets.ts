// Secret pages at the gateway in front of this server.
//
// The gateway authenticates the person, shows them the page, and stores the sealed secret, which it cannot read, until this server
// fetches it. It accepts the page's question only after that, so the value is available when it is fetched.

import { randomBytes } from 'node:crypto'
import { AssentError, newId, type SealedSecret } from '@assent/core'
import { sdkLimits } from '../limits.ts'
import type { Secrets } from '../server/secrets.ts'
import { openSecret, publicKeyOf } from './sealed.ts'

export interface GatewaySecretsOptions {
  /** Where the gateway is. Unless given, ASSENT_SECRETS_URL, which it sets for servers that it starts. */
  readonly url?: string
  /** This server's credential there. Unless given, ASSENT_SECRETS_TOKEN. */
  readonly token?: string
  /**
   * 32 random bytes that belong to this server, the same on every replica; the gateway must not have it. Unless given,
   * ASSENT_SECRETS_KEY in base64; without that every process generates its own, and opens only secrets that it asked
   * for.
   */
  readonly key?: Uint8Array
  /** Only for tests. */
  readonly nowMs?: () => number
}

const keyBytes = 32
const noPage =
  'There is no page for entering a secret. Put this server behind an Assent gateway whose configuration allows it ' +
  'secrets, or run the tool in a terminal. No person was asked.'

/** Without a gateway nothing fails until a secret is asked for; that ask is then refused. */
export function gatewaySecrets(options: GatewaySecretsOptions = {}): Secrets {
  const { env } = process
  const url = options.url ?? env.ASSENT_SECRETS_URL ?? ''
  const token = options.token ?? env.ASSENT_SECRETS_TOKEN ?? ''
  const key = options.key ?? keyFrom(env.ASSENT_SECRETS_KEY)
  const nowMs = options.nowMs ?? Date.now
  if (key.length !== keyBytes) throw new AssentError('misconfigured', `The key for secrets needs ${keyBytes} bytes.`)
  if (url === '' && token === '') return { problem: noPage, open: refuse, value: refuse }
  if (url === '' || token === '' || !URL.canParse(url)) {
    throw new AssentError('misconfigured', 'Secrets need a valid URL of the gateway and a token for it.')
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
      if (collected.state !== 'ready') throw noSecretError(collected.state)
      const { sealed, server, principal } = collected
      return openSecret(key, sealed, { page: id, server, principal })
    },
    release: async (id) => {
      await ask('DELETE', id)
    },
  }
}

async function refuse(): Promise<never> {
  throw new AssentError('not_supported', noPage)
}

type Collected =
  | { readonly state: 'ready'; readonly sealed: SealedSecret; readonly server: string; readonly principal: string }
  | { readonly state: NotReady }
type NotReady = 'open' | 'unbound' | 'released' | 'declined' | 'cancelled' | 'expired' | 'withdrawn'

function noSecretError(state: NotReady): AssentError {
  switch (state) {
    case 'declined':
      return new AssentError('declined', 'The person declined to enter the secret.')
    case 'expired':
      return new AssentError('timed_out', 'The secret was not entered in time.')
    case 'unbound':
      return new AssentError(
        'not_supported',
        'The question did not pass through the gateway that has the page, so no person could enter the secret. ' +
          'Connect clients to the gateway.',
      )
    case 'released':
      return new AssentError('cancelled', 'The secret was fetched by a call that has ended, and was deleted.')
    default:
      return new AssentError('cancelled', 'The secret was not entered.')
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
  // All three requests are idempotent, so they are retried after a broken connection.
  for (let tries = 0; tries < sdkLimits.secretTries; tries++) {
    const timeout = AbortSignal.timeout(sdkLimits.secretRequestMs)
    const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
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
  const body: unknown = await response.json()
  if (response.ok) return body
  const reason = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : ''
  if (response.status === 404) throw new AssentError('timed_out', 'The page for the secret no longer exists.')
  const code = response.status === 429 ? 'limit_exceeded' : 'misconfigured'
  throw new AssentError(code, `The gateway refused to open a page for a secret (${response.status}). ${reason}`)
}

function keyFrom(text: string | undefined): Uint8Array {
  return new Uint8Array(text === undefined ? randomBytes(keyBytes) : Buffer.from(text, 'base64'))
}
