// A page in a browser can be made to speak to a server on this machine under a name of its own choosing (DNS rebinding).
// So a gateway answers only to names it is known by, and to pages that came from where it was told.

import type { IncomingMessage } from 'node:http'
import { header } from '../wire/http.ts'

export interface Known {
  /** Host names beside loopback's own, in lower case and without ports. */
  readonly hosts: readonly string[]
  /** Origins of pages, as browsers send them. */
  readonly origins: readonly string[]
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Says in words why this request is refused, or nothing. */
export function hostProblem(request: IncomingMessage, { hosts, origins }: Known): string | undefined {
  const host = nameOf(`http://${header(request, 'host') ?? ''}`)
  if (host === undefined || !(loopbackNames.includes(host) || hosts.includes(host)))
    return 'This gateway is not known by that name. Add it to `hosts` if it should be.'
  const origin = header(request, 'origin')
  if (origin === undefined || origins.includes(origin)) return undefined
  // A page from this machine may speak to a gateway it reaches by this machine's own names, and to no other.
  const from = nameOf(origin)
  return from !== undefined && loopbackNames.includes(from) && loopbackNames.includes(host)
    ? undefined
    : 'Pages from elsewhere may not use this gateway. Add their origin to `origins` if they should.'
}

/** The last one, because nearly every request comes under the same name. */
let last: { readonly url: string; readonly name: string | undefined } = { url: '', name: undefined }

function nameOf(url: string): string | undefined {
  if (url !== last.url) last = { url, name: URL.canParse(url) ? new URL(url).hostname : undefined }
  return last.name
}
