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
export function hostProblem(request: IncomingMessage, known: Known): string | undefined {
  const host = nameOf(`http://${header(request, 'host') ?? ''}`)
  if (host === undefined || !(loopbackNames.includes(host) || known.hosts.includes(host))) return unknownName
  return originProblem(request, host, known)
}

/**
 * The same for pages that other programs read: metrics and health checks. A balancer may send no Host at all (HTTP/1.0),
 * and a probe uses the address that it connects to. No page in a browser can do either under a name of its own.
 */
export function pageHostProblem(request: IncomingMessage, known: Known): string | undefined {
  const given = header(request, 'host')
  if (given === undefined || given === '') return originProblem(request, '', known)
  const host = nameOf(`http://${given}`)
  return host !== undefined && isAddressOf(request, host)
    ? originProblem(request, host, known)
    : hostProblem(request, known)
}

/** Whether this is the address, and no name, at which the request arrived. */
function isAddressOf({ socket }: IncomingMessage, host: string): boolean {
  // An IPv4 address on an IPv6 socket is written with this prefix; a link-local one has its interface after a percent sign.
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '').replace(/%.*$/, '')
  return address !== '' && host === nameOf(`http://${address.includes(':') ? `[${address}]` : address}`)
}

const unknownName = 'This gateway is not known by that name. Add it to `hosts` if it should be.'

function originProblem(request: IncomingMessage, host: string, { origins }: Known): string | undefined {
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
