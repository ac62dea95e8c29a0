// A web page can reach a server on this machine under the page's own host name (DNS rebinding). So the gateway accepts
// only configured host names and origins, and those of loopback.

import type { IncomingMessage } from 'node:http'
import { header } from '../protocol/http.ts'
import { isOwnLoopbackName } from '../protocol/loopback.ts'

export interface Known {
  /** Host names besides those of loopback, in lower case and without ports. */
  readonly hosts: readonly string[]
  /** Origins of pages, as browsers send them. */
  readonly origins: readonly string[]
}

/** Why this request is refused; undefined if it is not. */
export function hostProblem(request: IncomingMessage, known: Known): string | undefined {
  const host = nameOf(`http://${header(request, 'host') ?? ''}`)
  if (host === undefined || !(isOwnLoopbackName(host) || known.hosts.includes(host))) return unknownName
  return originProblem(request, host, known)
}

/**
 * The same for pages that other programs read: metrics and health checks. A load balancer may send no Host (HTTP/1.0),
 * and a probe uses the address it connects to. A page in a browser can do neither under its own host name.
 */
export function pageHostProblem(request: IncomingMessage, known: Known): string | undefined {
  const given = header(request, 'host')
  if (given === undefined || given === '') return originProblem(request, '', known)
  const host = nameOf(`http://${given}`)
  return host !== undefined && isAddressOf(request, host)
    ? originProblem(request, host, known)
    : hostProblem(request, known)
}

/** Whether the host is the IP address at which the request arrived. */
function isAddressOf({ socket }: IncomingMessage, host: string): boolean {
  // IPv4 addresses on an IPv6 socket have this prefix; link-local ones end with `%` and the interface.
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '').replace(/%.*$/, '')
  return address !== '' && host === nameOf(`http://${address.includes(':') ? `[${address}]` : address}`)
}

const unknownName = 'Unknown host name. To allow it, add it to `hosts`.'

function originProblem(request: IncomingMessage, host: string, { origins }: Known): string | undefined {
  const origin = header(request, 'origin')
  if (origin === undefined || origins.includes(origin)) return undefined
  // A page served from loopback may use the gateway only under a loopback name.
  const from = nameOf(origin)
  return from !== undefined && isOwnLoopbackName(from) && isOwnLoopbackName(host)
    ? undefined
    : 'Origin not allowed. To allow it, add it to `origins`.'
}

/** Cache of the last result: nearly every request has the same host. */
let last: { readonly url: string; readonly name: string | undefined } = { url: '', name: undefined }

function nameOf(url: string): string | undefined {
  if (url !== last.url) last = { url, name: URL.canParse(url) ? new URL(url).hostname : undefined }
  return last.name
}
