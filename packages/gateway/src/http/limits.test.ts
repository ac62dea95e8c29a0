import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, aSession, call, complete, post, untilTheEnd } from '../contract/wire.suite.ts'
import { clientLimits, programLimits, setLimits } from '../limits.ts'

async function aGateway() {
  const server = await aRawServer(() => complete)
  return (await openTestEnv()).gateway({ deploy: { url: server.url } })
}

test('[PROG-14] a client that sends too slowly is disconnected, and others are served meanwhile', async () => {
  onTestFinished(setLimits(programLimits, { requestWithinMs: 2_000 }))
  const { url } = await aGateway()
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  slow.on('error', () => slow.destroy())
  let received = ''
  slow.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  const closed = new Promise<void>((resolve) => slow.on('close', () => resolve()))
  slow.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{')

  const meanwhile = await call(url, {})
  await closed

  expect(meanwhile.message.result).toMatchObject(complete.result)
  expect(received).toContain('408')
})

test('[PROG-14] a stream over the limit of its caller is refused; existing streams stay open', async () => {
  onTestFinished(setLimits(clientLimits, { streamsPerCaller: 2 }))
  const { url } = await aGateway()
  const session = await aSession(url)
  const listen = (person: string, signal: AbortSignal) =>
    fetch(url, { headers: { 'mcp-session-id': session.id, [personHeader]: person }, signal })
  const [first, second, third] = [untilTheEnd(), untilTheEnd(), untilTheEnd()]
  const statuses = [(await listen('ann', first.signal)).status, (await listen('ann', second.signal)).status]

  const beyond = await listen('ann', third.signal)
  first.abort()

  expect([...statuses, beyond.status]).toEqual([200, 200, 503])
  await until(async () => ((await listen('ann', third.signal)).status === 200 ? true : undefined))
})

test('[PROG-14] a session over the limit of its caller is refused; other callers can still open sessions', async () => {
  onTestFinished(setLimits(clientLimits, { sessionsPerCaller: 2 }))
  const { url } = await aGateway()
  const begin = (person: string) =>
    post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } }, { person })
  const statuses = []
  for (const person of ['ann', 'ann', 'ann', 'bob']) statuses.push((await begin(person)).status)

  expect(statuses).toEqual([200, 200, 503, 200])
})
