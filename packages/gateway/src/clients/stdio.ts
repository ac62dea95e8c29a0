// One client over stdio, of either protocol generation; its requests show which one.
//
// Nothing but messages is ever written to standard output.

import type { Readable, Writable } from 'node:stream'
import { callerFacts, localAddress, localPerson } from '../call/local-person.ts'
import { clientLimits } from '../limits.ts'
import { Lines } from '../protocol/lines.ts'
import {
  errorCodes,
  errorReply,
  isReply,
  isRequest,
  type Message,
  type Reply,
  type Request,
  readMessage,
} from '../protocol/messages.ts'
import { within } from '../protocol/within.ts'
import { beginIdentity, ClientSession, cancelledBy } from './2025-11-25/session.ts'
import { claimsRevision } from './2026-07-28/envelope.ts'
import { serve20260728 } from './2026-07-28/serve.ts'
import type { Serving } from './context.ts'

const { principal } = localPerson
const facts = callerFacts({ ...localPerson, address: localAddress })

/** Resolves when the client has closed its input and all running requests have ended or timed out. */
export async function serveStream(serving: Serving, input: Readable, output: Writable): Promise<void> {
  let session: ClientSession | undefined
  const running = new Map<string | number, AbortController>()
  const disconnected = new AbortController()
  const inProgress = new Set<Promise<void>>()
  const write = (message: Message) => {
    if (disconnected.signal.aborted) return
    // Disconnect a client that does not read, so that unsent data does not fill the memory.
    if (output.writableLength > clientLimits.unreadBytes) return disconnected.abort()
    output.write(`${JSON.stringify(message)}\n`)
  }

  // A write error means that the client is gone: abort its running calls.
  output.on('error', () => disconnected.abort())

  const answerNewest = async (request: Request) => {
    const cancelling = new AbortController()
    running.set(request.id, cancelling)
    const signal = AbortSignal.any([cancelling.signal, disconnected.signal])
    const isWanted = () => !signal.aborted
    const answering = {
      send: (message: Message) => (isWanted() ? write(message) : undefined),
      end: (reply: Reply) => (isWanted() ? write(reply) : undefined),
      open: () => undefined,
      finish: () => undefined,
    }
    await serve20260728(serving, { principal, ...facts, signal, mayReconnect: false }, request, answering).finally(() =>
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
      if (!('error' in reply)) return void begun.listen(write, disconnected.signal)
      if (session === begun) session = undefined
      return begun.end()
    }
    if (isReply(message)) return session?.take(message)
    if (isRequest(message)) {
      if (session !== undefined) return write(await session.answer(message, write, disconnected.signal, { facts }))
      const reason = 'Start with initialize, or send a request of revision 2026-07-28.'
      return write(errorReply(message.id, errorCodes.methodNotFound, reason))
    }
    const cancelled = cancelledBy(message)
    if (cancelled === undefined) return session?.receive(message)
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
      .finally(() => inProgress.delete(receiving))
    inProgress.add(receiving)
  }
  const lines = new Lines()
  for await (const chunk of input) {
    for (const line of lines.push(chunk as Buffer)) receiveLine(line)
    if (disconnected.signal.aborted) break
  }
  receiveLine(lines.rest())
  disconnected.abort()
  await session?.end()
  // Wait until the client's asks are withdrawn, before the caller closes the store.
  await within(clientLimits.endGraceMs, Promise.all(inProgress))
}
