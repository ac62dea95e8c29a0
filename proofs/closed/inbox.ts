// Requests to the inbox of a gateway, under the public host name that all gateways of this proof share.

import { request as httpRequest } from 'node:http'

export const inboxUrl = 'https://assent.proof'

const withinMs = 5_000

export interface InboxReply {
  readonly status: number
  readonly text: string
  /** The cookie that a browser would store. */
  readonly cookie?: string
}

/** `origin` is the real address. Not with `fetch`, which sets the Host header itself. */
export function askInbox(
  origin: string,
  path: string,
  { cookie = '', body }: { readonly cookie?: string; readonly body?: string },
): Promise<InboxReply> {
  const ours = { origin: inboxUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
  const headers = { host: new URL(inboxUrl).host, cookie, ...(body === undefined ? {} : ours) }
  const { promise, resolve, reject } = Promise.withResolvers<InboxReply>()
  const options = { method: body === undefined ? 'GET' : 'POST', headers, signal: AbortSignal.timeout(withinMs) }
  const request = httpRequest(`${origin}${path}`, options, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('error', reject).on('end', () => {
      const kept = response.headers['set-cookie']?.[0]?.split(';', 1)[0]
      resolve({ status: response.statusCode ?? 0, text, ...(kept === undefined ? {} : { cookie: kept }) })
    })
  })
  request.on('error', reject).end(body)
  return promise
}
