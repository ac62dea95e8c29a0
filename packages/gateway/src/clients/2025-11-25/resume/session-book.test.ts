import type { JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../../../test-kit/gateway/test-env.ts'
import { until } from '../../../../../../test-kit/until.ts'
import type { Serving } from '../../context.ts'
import { ClientSession } from '../session.ts'
import { SessionBook } from './session-book.ts'

const id = '6b0a8f5e-0000-4000-8000-000000000000'
const ann = { principal: 'ann', groups: [] }
const key = { tenant: 'default', id, principal: 'ann' }
const level = { method: 'logging/setLevel', params: { level: 'debug' } }

/** A replica that has just become the owner of a session with a log level. */
async function openTakenOver() {
  const { store } = await openTestEnv()
  const record = { revision: '2025-11-25', client: JSON.stringify({ info: {}, declared: {} }), owner: 'a' }
  await store.sessions.begin(key, record, { keepMs: 60_000, perPrincipal: 10 })
  await store.sessions.keepSetting(key, { name: 'level', request: JSON.stringify(level) }, 10)
  const profile = (info: JsonObject, declared: JsonObject) => ({ info, declared, capabilities: declared })
  // Only the parts that a session without requests uses.
  const parts = { store, replica: 'a', tenant: 'default', others: undefined, resumes: true, routing: { profile } }
  const relay = { leave: async () => undefined }
  const serving = { ...parts, relay, onLapse: () => undefined } as unknown as Serving
  const errors: unknown[] = []
  const book = new SessionBook(serving, (error) => void errors.push(error))
  closeAfterTest(() => book.close())
  return { store, book, errors }
}

test('[FLEET-1] no request of a session is served before its settings are applied', async () => {
  const { book } = await openTakenOver()
  const { promise, resolve } = Promise.withResolvers<void>()
  const applied: string[] = []
  const answer = vi.spyOn(ClientSession.prototype, 'answer').mockImplementation(async ({ id, method }) => {
    await promise
    applied.push(method)
    return { jsonrpc: '2.0', id, result: {} }
  })
  const found = [book.find(id, ann, true)]
  await until(() => (answer.mock.calls.length > 0 ? true : undefined))
  found.push(book.find(id, ann, true))
  const appliedBefore = found.map((one) => one.then(() => applied.length))
  setTimeout(resolve, 20)

  expect(await Promise.all(appliedBefore)).toEqual([1, 1])
  expect(answer).toHaveBeenCalledTimes(1)
  answer.mockRestore()
})

test('[FLEET-1] a session whose settings cannot be read is read again with the next request', async () => {
  const { store, book } = await openTakenOver()
  const reading = vi.spyOn(store.sessions, 'settings').mockRejectedValueOnce(new Error('The connection broke.'))
  const answer = vi.spyOn(ClientSession.prototype, 'answer').mockImplementation(async ({ id: of }) => {
    return { jsonrpc: '2.0', id: of, result: {} }
  })

  await expect(book.find(id, ann, true)).rejects.toThrow('The connection broke.')
  expect(book.size).toBe(0)
  expect(await book.find(id, ann, true)).toMatchObject({ kind: 'here' })
  expect([reading.mock.calls.length, answer.mock.calls.length]).toEqual([2, 1])
  answer.mockRestore()
})

test('[FLEET-2] a session that is served here does not exist for another person', async () => {
  const { book } = await openTakenOver()
  vi.spyOn(ClientSession.prototype, 'answer').mockResolvedValueOnce({ jsonrpc: '2.0', id: 1, result: {} })
  await book.find(id, ann, true)

  expect(await book.find(id, { ...ann, principal: 'bob' }, true)).toBeUndefined()
  vi.restoreAllMocks()
})
