// The IP address of the caller of a request, for policies: that of the connection, or behind trusted proxies the one that
// they report in X-Forwarded-For.
//
// Each proxy adds the address that it received the request from at the end of the header, so the header is read from its
// end, as long as the address before it is that of a trusted proxy. What a client itself writes there is never reached.

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { header } from '../protocol/http.ts'
import type { StatedNetworks } from '../protocol/networks.ts'

/** Undefined if a trusted proxy reports something that is not an address, or if the connection is closed. */
export function callerAddress(request: IncomingMessage, proxies: StatedNetworks): string | undefined {
  const reported = header(request, 'x-forwarded-for')?.split(',') ?? []
  let address = plainAddress(request.socket.remoteAddress ?? '')
  for (const before of reported.reverse()) {
    if (address === undefined || !proxies.contains(address)) break
    address = plainAddress(withoutPort(before.trim()))
  }
  return address
}

/** Some proxies add the port: `203.0.113.7:41000` or `[2001:db8::7]:41000`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
}

/** The usual form of an address: without a zone, an IPv4 address inside an IPv6 one by itself. Undefined if it is none. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text
  const [bare = ''] = text.split('%')
  const mapped = bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  if (isIP(mapped) === 4) return mapped
  // The URL parser writes an IPv6 address in its shortest form, without dots.
  return isIP(mapped) === 6 ? new URL(`http://[${mapped}]`).hostname.slice(1, -1) : undefined
}
