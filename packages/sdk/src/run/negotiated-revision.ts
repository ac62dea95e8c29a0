// The revision that an SDK 1.x server negotiated with its client.
//
// That SDK does not store it, and over stdio no later message contains it. So the reply to `initialize` is read
// as it is sent: the server's `connect` is wrapped before it is used, and the transport's `send` with it. No message is
// changed.

import { isPlainObject } from '@assent/core'

const negotiated = new WeakMap<object, string>()
const recorded = new WeakSet<object>()

interface Connecting {
  connect(transport: Sending): unknown
}

interface Sending {
  send(message: unknown, ...more: unknown[]): unknown
}

/** Undefined for a server that was connected before `recordRevision` was called. */
export function negotiatedRevision(server: object): string | undefined {
  return negotiated.get(server)
}

/** Call it before the server is connected; a second call has no effect. */
export function recordRevision(given: object): void {
  const server = 'server' in given && isObject(given.server) ? given.server : given
  if (recorded.has(server) || !isConnecting(server) || 'getNegotiatedProtocolVersion' in server) return
  recorded.add(server)
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    negotiated.delete(server)
    readReplies(server, transport)
    return connect(transport)
  }
}

function readReplies(server: object, transport: Sending): void {
  const send = transport.send.bind(transport)
  transport.send = (message, ...more) => {
    const version = versionIn(message)
    if (version !== undefined && !negotiated.has(server)) negotiated.set(server, version)
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
