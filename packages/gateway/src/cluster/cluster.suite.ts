// Replicas in one process for the tests of this folder: keys, requests, and what they are sealed for.

import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { createKeyRing } from '@assent/core'
import { type ForwardedRequest, type Forwarding, sealForward, sealHeader } from './forward-seal.ts'

export const keys = createKeyRing([{ id: 'k', secret: randomBytes(32) }])

export const aRequest: ForwardedRequest = {
  method: 'POST',
  path: '/mcp',
  headers: { 'mcp-session-id': 's', 'content-type': 'application/json' },
  body: '{"id":1}',
}

/** From replica a to replica b. */
export const aForwarding: Forwarding = {
  from: 'a',
  to: 'b',
  tenant: 'default',
  principal: 'issuer#ann',
  groups: ['ops', 'dev'],
  roles: ['deployer'],
  address: '10.1.2.3',
  client: 'agent',
}

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request as it is: with the seal and the headers that are given, and no others. */
export function sendRaw(
  url: string,
  { method, path, headers, body }: ForwardedRequest,
  sealed: string | undefined,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const options = { method, headers: { ...headers, ...(sealed === undefined ? {} : { [sealHeader]: sealed }) } }
  httpRequest(new URL(path, url), { ...options, agent: false }, async (response) => {
    try {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
    } catch (error) {
      reject(error)
    }
  })
    .on('error', reject)
    .end(body)
  return promise
}

export function sealOf(request: ForwardedRequest, changes: Partial<Forwarding> = {}, nowMs = Date.now()): string {
  return sealForward(keys, request, { ...aForwarding, ...changes }, nowMs)
}
