import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import type { Call } from '../../call/model.ts'
import type { Reply } from '../../protocol/messages.ts'
import { LiveCall } from './live-call.ts'

const yes = { result: { action: 'accept' } }

/** A call whose server asks one question under the id 7. */
function asking({ isSent = true, params = {} as JsonObject, waitMs = 60_000 } = {}) {
  const notified: string[] = []
  const replies: Reply[] = []
  const call = {
    client: { capabilities: { elicitation: { form: {} } } },
    notify: ({ method }: { method: string }) => void notified.push(method),
  } as unknown as Call
  const live = new LiveCall({ id: 'call_1', requestId: 1, server: 'deploy', call, waitMs }, async (reply) => {
    replies.push(reply)
    return isSent
  })
  const question = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} }, ...params }
  live.onRequest({ jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: question })
  const cancels = (requestId: number) => live.onCancelled(requestId)
  return { live, replies, notified, cancels }
}

test('[WAIT-9] an answer that the server waits for is delivered once, even when it is given twice', () => {
  const { live, replies } = asking()

  live.answer({ ask_1: yes })
  live.answer({ ask_1: yes })

  expect(replies).toEqual([{ jsonrpc: '2.0', id: 7, ...yes }])
  expect(live.takeUndelivered()).toEqual([])
})

test('[WAIT-9] an answer after the server cancelled its question is not delivered', () => {
  const { live, replies, cancels } = asking()

  cancels(7)
  live.answer({ ask_1: yes })

  expect(replies).toEqual([])
  expect(live.takeUndelivered()).toEqual(['ask_1'])
  expect(live.takeUndelivered()).toEqual([])
})

test('[WAIT-9] an answer that crossed the server’s cancellation is undelivered, and the caller is not notified', () => {
  const { live, notified, cancels } = asking()

  live.answer({ ask_1: yes })

  expect([cancels(7), cancels(8)]).toEqual([true, false])
  expect(live.takeUndelivered()).toEqual(['ask_1'])
  expect(notified).toEqual([])
})

test('[WAIT-9] an answer after the call ended, or that could not be sent, is not delivered', async () => {
  const ended = asking()
  ended.live.finish({ kind: 'finished', result: {} })
  ended.live.answer({ ask_1: yes })
  const unsent = asking({ isSent: false })
  unsent.live.answer({ ask_1: yes })
  await new Promise((resolve) => setImmediate(resolve))

  expect(ended.live.takeUndelivered()).toEqual(['ask_1'])
  expect(unsent.live.takeUndelivered()).toEqual(['ask_1'])
})
