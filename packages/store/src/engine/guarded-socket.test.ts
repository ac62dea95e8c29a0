// A server whose messages the driver cannot parse: the caller gets an error, and the process continues.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { PostgresEngine } from './postgres.ts'
import { query } from './statement.ts'

const authenticationOk = [82, 0, 0, 0, 8, 0, 0, 0, 0]
const ready = [90, 0, 0, 0, 5, 73]
// A row that claims to have 32,767 fields and has none.
const brokenRow = [68, 0, 0, 0, 6, 127, 255]

// An error whose list of fields is not terminated.
const unterminated = [69, 0, 0, 0, 7, 83, 65, 0]

test.each([
  ['a row', [brokenRow]],
  ['an error', [unterminated]],
  ['an error in pieces', [unterminated.slice(0, 3), unterminated.slice(3)]],
])('[FLEET-10] %s that the driver cannot parse breaks its connection, not the process', async (_, pieces) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(Buffer.from([...authenticationOk, ...ready]))
      socket.on('data', async () => {
        for (const piece of pieces) {
          socket.write(Buffer.from(piece))
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `postgres://root@127.0.0.1:${(server.address() as AddressInfo).port}/test`
  const timeouts = { statementTimeoutMs: 10_000, connectTimeoutMs: 10_000 }
  const engine = new PostgresEngine({ url, schema: 'x', connections: 1, ...timeouts, onError: () => undefined })
  onTestFinished(async () => {
    await engine.close()
    server.close()
  })

  const running = engine.run(query('any', 'select 1'), {})

  await expect(running).rejects.toMatchObject({ code: 'store_unavailable', cause: { name: 'RangeError' } })
})
