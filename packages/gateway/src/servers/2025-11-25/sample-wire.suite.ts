// Connections to a scripted server of the session-based revisions, for the tests of this folder.

import type { Call } from '../../call/model.ts'
import { isRequest, type Message, type Request, resultReply } from '../../protocol/messages.ts'
import type { TransportEvents } from '../transport.ts'
import { TransportClosed } from '../transport.ts'
import type { OpenTransport } from './session.ts'

interface SampleWire {
  readonly sent: readonly Message[]
  /** The requests of calls, without the handshake. */
  readonly calls: () => readonly Request[]
  isClosed: boolean
  reply(request: Request): void
  /** The server ends the connection. */
  end(): void
}

interface Script {
  /** Whether the server completes the handshake by itself. */
  readonly opens?: () => boolean
  /** Whether the server reads this message. */
  readonly reads?: (message: Message) => boolean
}

/** Opens connections to a server that completes the handshake and answers nothing else. */
export function sampleWires({ opens = () => true, reads = () => true }: Script = {}) {
  const wires: (SampleWire & { readonly finishOpening: () => void })[] = []
  const open: OpenTransport = (events: TransportEvents) => {
    const sent: Message[] = []
    let hasEnded = false
    const isHandshake = ({ method }: Request) => method === 'initialize'
    const accept = (request: Request) =>
      events.onMessage(
        resultReply(request.id, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'sample' } }),
      )
    const wire = {
      sent,
      calls: () => sent.filter(isRequest).filter((one) => !isHandshake(one)),
      isClosed: false,
      reply: (request: Request) => events.onMessage(resultReply(request.id, { content: [] })),
      end: () => {
        hasEnded = true
        events.onClosed('The server ended.')
      },
      finishOpening: () => sent.filter(isRequest).filter(isHandshake).forEach(accept),
    }
    wires.push(wire)
    return {
      send: async (message) => {
        if (hasEnded || wire.isClosed) throw new TransportClosed()
        sent.push(message)
        if (!reads(message)) await new Promise(() => undefined)
        if (isRequest(message) && isHandshake(message) && opens()) queueMicrotask(() => accept(message))
      },
      close: () => {
        wire.isClosed = true
      },
    }
  }
  return { open, wires, calls: () => wires.flatMap((wire) => wire.calls()) }
}

export function sampleCall(signal: AbortSignal = new AbortController().signal, more: Partial<Call> = {}): Call {
  return {
    tenant: 'default',
    principal: 'ann',
    scope: 'session',
    method: 'tools/call',
    params: { name: 'deploy', arguments: {} },
    client: { info: {}, declared: {}, capabilities: {} },
    notify: () => undefined,
    signal,
    ...more,
  }
}
