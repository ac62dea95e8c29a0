// Callers of both generations, over HTTP and stdio, that can abort a request at any moment.
//
// A caller of 2026-07-28 retries with its newest state until it has a final result; one that aborted its first request
// has no state and is gone. A caller of 2025-11-25 that aborts cancels its call, as the SDKs do.

import { setTimeout as sleep } from 'node:timers/promises'
import type { StdioClient } from '../stdio-client.ts'
import type { HttpSession } from '../wire-2025-11-25.ts'
import { envelope, type Reply, send, stateOf } from '../wire-2026-07-28.ts'

export interface Calling {
  /** The final reply; undefined if the caller aborted and cannot retry. */
  readonly reply: Promise<Reply | undefined>
  /**
   * The caller's own timeout: it aborts the open request.
   *
   * @param onceItCanReturn wait until it has a state to retry with
   */
  leave(onceItCanReturn?: boolean): void
}

export interface Caller {
  readonly generation: '2025-11-25' | '2026-07-28'
  /** @param staysAwayMs how long a caller with a state waits before its first retry */
  call(tool: string, args: object, staysAwayMs?: number): Calling
}

const reconnectAfterMs = 20
const leavesRetryAfterMs = 30

export function sessionCaller(session: HttpSession): Caller {
  return {
    generation: '2025-11-25',
    call: (tool, args) => {
      const { reply, cancel } = session.call(tool, args)
      const left = Promise.withResolvers<undefined>()
      return {
        reply: Promise.race([fetched(session, reply), left.promise]),
        leave: () => void cancel().finally(() => left.resolve(undefined)),
      }
    },
  }
}

/** The result of a deferred call is fetched with the tool for it, as a model would do. */
async function fetched(session: HttpSession, first: Promise<Reply>): Promise<Reply | undefined> {
  let reply = await first.catch(() => undefined)
  for (;;) {
    const { status, askId } = (reply?.result?.structuredContent ?? {}) as { status?: unknown; askId?: unknown }
    if (status !== 'pending') return reply
    reply = await session.call('assent__await_answer', { ask_id: askId }).reply.catch(() => undefined)
  }
}

export function statelessCaller(url: string): Caller {
  return retryingCaller((params) => {
    const cancelled = new AbortController()
    const reply = send(url, { method: 'tools/call', params, signal: cancelled.signal }).catch(() => undefined)
    return { reply, leave: () => cancelled.abort() }
  })
}

export function stdioCaller(client: StdioClient, generation: Caller['generation']): Caller {
  const request = (params: object): Calling => {
    const { id, reply } = client.request('tools/call', params)
    const left = Promise.withResolvers<undefined>()
    const leave = () => {
      client.notify('notifications/cancelled', { requestId: id })
      left.resolve(undefined)
    }
    return {
      reply: Promise.race([reply.then((message) => ({ status: 200, ...message }) as Reply), left.promise]),
      leave,
    }
  }
  if (generation === '2026-07-28') return retryingCaller((params) => request({ ...params, _meta: envelope() }))
  return { generation, call: (name, args) => request({ name, arguments: args }) }
}

function retryingCaller(request: (params: Record<string, unknown>) => Calling): Caller {
  return {
    generation: '2026-07-28',
    call: (name, args, staysAwayMs = 0) => {
      let open: Calling | undefined
      let state: string | undefined
      let leavesLater = false
      const untilEnd = async (): Promise<Reply | undefined> => {
        for (;;) {
          open = request({ name, arguments: args, ...(state === undefined ? {} : { requestState: state }) })
          if (leavesLater && state !== undefined) void sleep(leavesRetryAfterMs).then(() => open?.leave())
          leavesLater &&= state === undefined
          const reply = await open.reply
          const next = reply === undefined ? undefined : stateOf(reply)
          if (reply !== undefined && reply.status !== 503 && next === undefined) return reply
          if (reply === undefined && state === undefined) return undefined
          await sleep(state === undefined ? staysAwayMs + reconnectAfterMs : reconnectAfterMs)
          state = next ?? state
        }
      }
      const leave = (onceItCanReturn = false) => {
        if (onceItCanReturn && state === undefined) leavesLater = true
        else open?.leave()
      }
      return { reply: untilEnd(), leave }
    },
  }
}
