// Checks on every request to the inbox before authentication, and the headers of every response.
//
// A page of another site can make a browser send requests here (CSRF), or point its own host name at this machine (DNS
// rebinding). So the inbox accepts only its own host name, and every request that changes something must come from our
// own origin, have a header that no HTML form can send, and be JSON.

import { isOwnLoopbackName } from '../protocol/loopback.ts'
import { requestRefusals } from './text/requests.ts'

const ownHeader = 'assent-inbox'

/** Why a request is refused; undefined if it is not. */
export function requestProblem(request: Request, base: URL): string | undefined {
  const host = request.headers.get('host') ?? ''
  if (!isOurHost(host, base)) return requestRefusals.unknownHost
  const site = request.headers.get('sec-fetch-site')
  if (request.method === 'GET' || request.method === 'HEAD') {
    const isPage = request.headers.get('sec-fetch-mode') === 'navigate'
    return site === null || site === 'same-origin' || site === 'none' || isPage
      ? undefined
      : requestRefusals.otherOrigin
  }
  if (site !== null && site !== 'same-origin') return requestRefusals.otherOrigin
  if (request.headers.get('origin') !== `${base.protocol}//${host}`) return requestRefusals.otherOrigin
  if (request.headers.get(ownHeader) !== '1') return requestRefusals.ownHeader(ownHeader)
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return type === 'application/json' ? undefined : requestRefusals.notJson
}

function isOurHost(host: string, base: URL): boolean {
  if (host === base.host) return true
  if (!isOwnLoopbackName(base.hostname)) return false
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined
  return url !== undefined && isOwnLoopbackName(url.hostname) && url.port === base.port
}

// Nothing inline and nothing from other origins: an asker's text that is rendered as markup by mistake stays harmless.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

// A worker can be registered only with a trusted type. This name admits one policy, which returns our worker's address.
const httpsContentSecurityPolicy = contentSecurityPolicy
  .replace("worker-src 'none'", "worker-src 'self'")
  .replace("trusted-types 'none'", 'trusted-types assent-worker')

export function addHeaders(headers: Headers, base: URL): void {
  const isHttps = base.protocol === 'https:'
  headers.set('content-security-policy', isHttps ? httpsContentSecurityPolicy : contentSecurityPolicy)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'DENY')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  if (isHttps) headers.set('strict-transport-security', 'max-age=31536000')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
