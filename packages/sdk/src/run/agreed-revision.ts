// Which revision a server of SDK 1 agreed on with its client.
//
// That SDK does not keep it, and on standard input and output no later message says it. So the reply to `initialize` is read
// as it is sent: the server's `connect` is wrapped before it is used, and the transport's `send` with it. Nothing is changed.

import { isPlainObject } from '@assent/core'

const agreed = new WeakMap<object, string>()
const watched = new WeakSet<object>()

interface Connecting {
  connect(transport: Sending): unknown
}

interface Sending {
  send(message: unknown, ...more: unknown[]): unknown
}

/** Undefined for a server that was connected before it was watched. */
export function agreedWith(server: object): string | undefined {
  return agreed.get(server)
}

/** Call it before the server is connected; again changes nothing. */
export function watchRevision(given: object): void {
  const server = 'server' in given && isObject(given.server) ? given.server : given
  if (watched.has(server) || !isConnecting(server) || 'getNegotiatedProtocolVersion' in server) return
  watched.add(server)
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    agreed.delete(server)
    readReplies(server, transport)
    return connect(transport)
  }
}

function readReplies(server: object, transport: Sending): void {
  const send = transport.send.bind(transport)
  transport.send = (message, ...more) => {
    const version = versionIn(message)
    if (version !== undefined && !agreed.has(server)) agreed.set(server, version)
    return send(message, ...more)
  }
}

function versionIn(message: unknown): string | undefined {
  const result = isPlainObject(message) && isPlainObject(message.result) ? message.result : {}
  const { protocolVersion, serverInfo } = result
  return typeof protocolVersion === 'string' && isPlainObject(serverInfo) ? protocolVersion : undefined
}

function isConnecting(server: object): server is Connecting {
  return 'connect' in server && typeof server.connect === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
