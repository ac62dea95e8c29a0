import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { aStage, personHeader, until } from '../contract/stage.suite.ts'
import { aRawServer, aSession, call, complete, post, untilTheEnd } from '../contract/wire.suite.ts'
import { downstreamLimits, programLimits } from '../limits.ts'

/** Limits belong to the process; each test leaves them as it found them. */
function withLimits<L extends object>(limits: L, changes: Partial<L>): void {
  const before = { ...limits }
  Object.assign(limits, changes)
  onTestFinished(() => {
    Object.assign(limits, before)
  })
}

async function aDoor() {
  const server = await aRawServer(() => complete)
  return (await aStage()).gateway({ deploy: { url: server.url } })
}

test('[PROG-14] whoever sends too slowly is cut off, and others are served meanwhile', async () => {
  withLimits(programLimits, { requestWithinMs: 300 })
  const { url } = await aDoor()
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  slow.on('error', () => slow.destroy())
  let heard = ''
  slow.setEncoding('utf8').on('data', (text) => {
    heard += text
  })
  const closed = new Promise<void>((resolve) => slow.on('close', () => resolve()))
  slow.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{')

  const meanwhile = await call(url, {})
  await closed

  expect(meanwhile.message.result).toMatchObject(complete.result)
  expect(heard).toContain('408')
})

test('[PROG-14] the stream beyond the limit of its caller is refused, not an older one', async () => {
  withLimits(downstreamLimits, { streamsPerCaller: 2 })
  const { url } = await aDoor()
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

test('[PROG-14] the session beyond the limit of its caller is refused, and others may begin theirs', async () => {
  withLimits(downstreamLimits, { sessionsPerCaller: 2 })
  const { url } = await aDoor()
  const begin = (person: string) =>
    post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } }, { person })
  const statuses = []
  for (const person of ['ann', 'ann', 'ann', 'bob']) statuses.push((await begin(person)).status)

  expect(statuses).toEqual([200, 200, 503, 200])
})
