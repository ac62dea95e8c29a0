// One client on standard input and output, of either generation: its first request says which.
//
// Nothing but messages is ever written to standard output.

import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { downstreamLimits } from '../limits.ts'
import { localPerson } from '../local-person.ts'
import { Lines } from '../wire/lines.ts'
import {
  errorCodes,
  errorReply,
  isReply,
  isRequest,
  type Message,
  type Reply,
  type Request,
  readMessage,
} from '../wire/messages.ts'
import { beginIdentity, ClientSession, cancelledBy } from './2025-11-25/session.ts'
import { claimsRevision } from './2026-07-28/envelope.ts'
import { serve20260728 } from './2026-07-28/serve.ts'
import type { Serving } from './context.ts'

const { principal } = localPerson

/** Resolves when the client has closed its end and everything under way is done with. */
export async function serveStream(serving: Serving, input: Readable, output: Writable): Promise<void> {
  let session: ClientSession | undefined
  const running = new Map<string | number, AbortController>()
  const leaving = new AbortController()
  const underWay = new Set<Promise<void>>()
  const write = (message: Message) => {
    if (leaving.signal.aborted) return
    // A client that does not read what it asked for must not fill our memory with it.
    if (output.writableLength > downstreamLimits.unreadBytes) return leaving.abort()
    output.write(`${JSON.stringify(message)}\n`)
  }

  // A client that no longer reads has left; what was under way for it is given up.
  output.on('error', () => leaving.abort())

  const answerNewest = async (request: Request) => {
    const cancelling = new AbortController()
    running.set(request.id, cancelling)
    const signal = AbortSignal.any([cancelling.signal, leaving.signal])
    const isWanted = () => !signal.aborted
    const answering = {
      say: (message: Message) => (isWanted() ? write(message) : undefined),
      end: (reply: Reply) => (isWanted() ? write(reply) : undefined),
      open: () => undefined,
      finish: () => undefined,
    }
    await serve20260728(serving, { principal, signal, mayReconnect: false }, request, answering).finally(() =>
      running.delete(request.id),
    )
  }

  const receive = async (message: Message) => {
    if (isRequest(message) && claimsRevision(message, undefined)) return answerNewest(message)
    if (isRequest(message) && message.method === 'initialize') {
      session = new ClientSession(serving, beginIdentity(principal, message.params ?? {}), 'stdio')
      const begun = session
      const reply = await begun.initialize(message)
      write(reply)
      if (!('error' in reply)) return void begun.listen(write, leaving.signal)
      if (session === begun) session = undefined
      return begun.end()
    }
    if (isReply(message)) return session?.take(message)
    if (isRequest(message)) {
      if (session !== undefined) return write(await session.answer(message, write, leaving.signal))
      const reason = 'Begin with initialize, or send a request of revision 2026-07-28.'
      return write(errorReply(message.id, errorCodes.methodNotFound, reason))
    }
    const cancelled = cancelledBy(message)
    if (cancelled === undefined) return session?.hear(message)
    session?.cancel(cancelled)
    running.get(cancelled)?.abort()
  }

  const receiveLine = (line: string | undefined) => {
    const message = line === undefined ? undefined : readMessage(line)
    if (message === undefined) {
      if (line?.trim() !== '') write(errorReply(null, errorCodes.parse, 'This line is not one JSON-RPC message.'))
      return
    }
    const receiving = receive(message)
      .catch((error: unknown) => {
        if (isRequest(message))
          write(errorReply(message.id, errorCodes.internal, error instanceof Error ? error.message : 'Failed.'))
      })
      .finally(() => underWay.delete(receiving))
    underWay.add(receiving)
  }
  const lines = new Lines()
  for await (const chunk of input) {
    for (const line of lines.push(chunk as Buffer)) receiveLine(line)
    if (leaving.signal.aborted) break
  }
  receiveLine(lines.rest())
  leaving.abort()
  await session?.end()
  // What was asked for this client is taken back before whatever it is kept in closes.
  const patience = new AbortController()
  const { signal } = patience
  await Promise.race([Promise.all(underWay), setTimeout(downstreamLimits.leavingMs, undefined, { signal, ref: false })])
  patience.abort()
}
