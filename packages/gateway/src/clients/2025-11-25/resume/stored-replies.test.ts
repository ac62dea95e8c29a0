import { expect, test } from 'vitest'
import { StoredReplies } from './stored-replies.ts'

test('[FLEET-14] a stored reply is returned only to its own session and person', () => {
  const replies = new StoredReplies()
  const reply = { jsonrpc: '2.0', id: 1, result: { content: [] } } as const
  replies.keep('stream', { replica: 'r', session: 's', principal: 'ann' }, reply, '1.r.stream.MQ', 60_000)

  expect(replies.find('stream', 's', 'ann')).toEqual({ reply, name: '1.r.stream.MQ' })
  expect(replies.find('stream', 's', 'bob')).toBeUndefined()
  expect(replies.find('stream', 'other', 'ann')).toBeUndefined()
  expect(replies.find('other', 's', 'ann')).toBeUndefined()
  replies.close()
})
