import { expect, test } from 'vitest'
import { idBetween } from './too-large.ts'

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[', '"}]}}', 7],
  ['{"result":{"content":[', '"}]},"jsonrpc":"2.0","id":7}', 7],
  ['{"result":{"content":[', '"}]},"id":7,"jsonrpc":"2.0"}', 7],
  ['{ "id": 7, "jsonrpc": "2.0", "result":', '}', 7],
  ['{"result":{"id":7,"x":"', '"}}', undefined],
  ['{"result":{"x":"', '","y":{"id":7}}}', undefined],
  ['{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"', '"}}', undefined],
  ['xxxxxxxx', 'xxxxxxxx', undefined],
])('[START-6] the id of a message that is too large is read at its ends: %s…%s', (head, tail, id) => {
  expect(idBetween({ head, tail })).toBe(id)
})
