// What every request to the inbox must pass, and what every response carries, before anybody is asked who they are.
//
// A page elsewhere may make a browser send requests here (CSRF), or point a name of its own at this machine (DNS
// rebinding). So the inbox answers to its own name alone; and what changes anything must come from a page of ours, say
// so in a header that no form can send, and be JSON.

const ownHeader = 'assent-inbox'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Says in words why a request is refused, or nothing. */
export function requestProblem(request: Request, base: URL): string | undefined {
  const host = request.headers.get('host') ?? ''
  if (!isOurHost(host, base)) return 'The inbox is not known by that name.'
  const site = request.headers.get('sec-fetch-site')
  if (request.method === 'GET' || request.method === 'HEAD') {
    const isPage = request.headers.get('sec-fetch-mode') === 'navigate'
    return site === null || site === 'same-origin' || site === 'none' || isPage ? undefined : elsewhere
  }
  if (site !== null && site !== 'same-origin') return elsewhere
  if (request.headers.get('origin') !== `${base.protocol}//${host}`) return elsewhere
  if (request.headers.get(ownHeader) !== '1') return `Requests that change something carry the header ${ownHeader}: 1.`
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return type === 'application/json' ? undefined : 'Requests that change something are sent as application/json.'
}

const elsewhere = 'Pages from elsewhere may not use the inbox.'

function isOurHost(host: string, base: URL): boolean {
  if (host === base.host) return true
  if (!loopbackNames.includes(base.hostname)) return false
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined
  return url !== undefined && loopbackNames.includes(url.hostname) && url.port === base.port
}

// Nothing inline and nothing from elsewhere: text of an asker that slipped through as markup could still do nothing.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export function addHeaders(headers: Headers, base: URL): void {
  headers.set('content-security-policy', contentSecurityPolicy)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'DENY')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  if (base.protocol === 'https:') headers.set('strict-transport-security', 'max-age=31536000')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
