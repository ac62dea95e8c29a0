// A page in a browser can be made to speak to a server on this machine under a name of its own choosing (DNS rebinding).
// So a gateway on loopback answers only to loopback's names, and to pages that came from there.

import type { IncomingMessage } from 'node:http'
import { header } from '../wire/http.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Says in words why this request is refused, or nothing. */
export function hostProblem(request: IncomingMessage): string | undefined {
  const host = nameOf(`http://${header(request, 'host') ?? ''}`)
  if (host === undefined || !loopbackNames.includes(host)) return 'This gateway is not known by that name.'
  const origin = header(request, 'origin')
  if (origin === undefined) return undefined
  const from = nameOf(origin)
  return from !== undefined && loopbackNames.includes(from)
    ? undefined
    : 'Pages from elsewhere may not use this gateway.'
}

function nameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}
