import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { call, request } from './wire.suite.ts'

const accepted = { question: { action: 'accept', content: { region: 'eu' } } }

/**
 * A proxy that breaks a connection just after it forwarded a request: the server has received the request, but the
 * client cannot know that. It breaks only connections that were used before, and each kind of request once.
 */
async function aBreakingProxy(url: string, ...breaking: readonly string[]): Promise<{ url: string; broken: string[] }> {
  const broken: string[] = []
  const { port } = new URL(url)
  const proxy = createServer((inside: Socket) => {
    const outside = connect(Number(port), '127.0.0.1')
    let isUsed = false
    inside.on('data', (chunk) => {
      outside.write(chunk)
      const kind = breaking.find((one) => !broken.includes(one) && chunk.includes(one))
      if (isUsed && kind !== undefined) {
        broken.push(kind)
        inside.destroy()
      }
      isUsed = true
    })
    outside.on('data', (chunk) => inside.writable && inside.write(chunk))
    inside.on('error', () => undefined).on('close', () => setTimeout(() => outside.destroy(), 500))
    outside.on('error', () => undefined).on('close', () => inside.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  closeAfterTest(() => void proxy.close())
  const address = proxy.address() as { port: number }
  return { url: `http://127.0.0.1:${address.port}/mcp`, broken }
}

for (const generation of ['2025-11-25', '2026-07-28'] as const) {
  test(`[RELAY-2] [RELAY-14] a call whose connection breaks runs once on ${generation}, and its caller gets an error`, async () => {
    const server = await anAskingServer(generation)
    const proxy = await aBreakingProxy(server.url, '"tools/call"')
    const gateway = await (await openTestEnv()).gateway({ only: { url: proxy.url } })
    await request(gateway.url, 'tools/list', {})

    const { message } = await call(gateway.url, { questions: [] })

    expect(proxy.broken).toEqual(['"tools/call"'])
    expect(message.error.message).toContain('Whether the server did anything is not known.')
    await until(() => (server.begun > 0 ? true : undefined))
    expect(server.begun).toBe(1)
    expect((await call(gateway.url, { questions: [] })).message.result.content).toBeDefined()
  })

  test(`[RELAY-14] a list whose connection breaks is fetched again from ${generation}`, async () => {
    const proxy = await aBreakingProxy((await anAskingServer(generation)).url, '"tools/list"')
    const gateway = await (await openTestEnv()).gateway({ only: { url: proxy.url } })
    await request(gateway.url, 'server/discover', {})

    const { message } = await request(gateway.url, 'tools/list', {})

    expect(proxy.broken).toEqual(['"tools/list"'])
    expect(message.result.tools).toHaveLength(1)
  })
}

test('[RELAY-14] an answer whose connection breaks is sent again, and counts once', async () => {
  const server = await anAskingServer('2025-11-25')
  const proxy = await aBreakingProxy(server.url, '"action":"accept"')
  const gateway = await (await openTestEnv()).gateway({ only: { url: proxy.url } })
  const asked = await call(gateway.url, { questions: [whichRegion, whichRegion] })
  const [first = ''] = Object.keys(asked.message.result.inputRequests as object)
  // Leaves an idle connection that was used before; the others carry the server's open streams.
  await request(gateway.url, 'tools/list', {})

  const { message } = await call(
    gateway.url,
    { questions: [whichRegion, whichRegion] },
    { inputResponses: { [first]: accepted.question }, requestState: asked.message.result.requestState },
  )

  expect(proxy.broken).toHaveLength(1)
  expect(message.result.resultType).toBe('input_required')
  expect(server.saw).toEqual([accepted.question])
  expect(server.begun).toBe(1)
})
