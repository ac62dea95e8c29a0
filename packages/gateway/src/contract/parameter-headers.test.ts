import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aRawServer, asks, call, complete, request } from './wire.suite.ts'

const pay = { amount: 1, currency: 'EUR', to: { iban: 'DE00', instant: true }, note: 'größe', tags: ['x', 7.5] }

async function aGateway() {
  const seen: unknown[] = []
  const server = await aRawServer(({ params }, _response, message) => {
    const headers = Object.entries(message.headers).filter(([name]) => name.startsWith('mcp-param-'))
    seen.push(Object.fromEntries(headers))
    return params.inputResponses === undefined && params.name === 'ask' ? asks({ q: whichRegion }, 's') : complete
  })
  const { url } = await (await openTestEnv()).gateway({ pay: { url: server.url } })
  return { url, server, seen }
}

test.each<[string, Record<string, string>]>([
  ['with another value than the argument of its name', { 'mcp-param-amount': '1000000' }],
  ['with the value of another argument', { 'mcp-param-amount': 'EUR' }],
  ['with a number in another notation', { 'mcp-param-amount': '0x1' }],
  ['with a value that no argument has', { 'mcp-param-region': 'eu' }],
  ['that is empty', { 'mcp-param-region': '' }],
  ['that is badly encoded', { 'mcp-param-note': '=?base64?%%%?=' }],
  ['next to another one with a wrong value', { 'mcp-param-amount': '1', 'mcp-param-currency': 'USD' }],
])('[RELAY-16] an Mcp-Param header %s is refused', async (_what, headers) => {
  const { url, server } = await aGateway()

  const { status, message } = await request(url, 'tools/call', { name: 'pay', arguments: pay }, { headers })

  expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_020 })
  expect(server.requests).toEqual([])
})

test.each<[string, Record<string, string>]>([
  ['a number', { 'mcp-param-amount': '1' }],
  ['a text', { 'mcp-param-currency': 'EUR' }],
  ['a nested boolean under another name', { 'mcp-param-speed': 'true' }],
  ['a nested text under another name', { 'mcp-param-account': 'DE00' }],
  ['a list item', { 'mcp-param-score': '7.5' }],
  ['an encoded text', { 'mcp-param-note': `=?base64?${Buffer.from('größe').toString('base64')}?=` }],
])('[RELAY-16] a header that repeats an argument is accepted: %s', async (_what, headers) => {
  const { url, seen } = await aGateway()

  const { status } = await request(url, 'tools/call', { name: 'pay', arguments: pay }, { headers })

  expect(status).toBe(200)
  expect(seen).toEqual([headers])
})

test('[RELAY-16] a retry with other parameter headers than its call is refused, and one with the same headers is accepted', async () => {
  const { url, seen } = await aGateway()
  const args = { amount: 1, other: 1_000_000 }
  const first = await call(url, args, {}, { headers: { 'mcp-param-total': '1' } })
  const rounds = {
    requestState: first.message.result.requestState,
    inputResponses: { q: { action: 'accept', content: { region: 'eu' } } },
  }

  for (const headers of [{ 'mcp-param-total': '1000000' }, {}, { 'mcp-param-total': '1', 'mcp-param-more': '1' }]) {
    const { message } = await call(url, args, rounds, { headers: headers as Record<string, string> })
    expect(message.error.code).toBe(-32_602)
  }
  expect(seen).toHaveLength(1)

  const { message } = await call(url, args, rounds, { headers: { 'mcp-param-total': '1' } })
  expect(message.result.resultType).toBe('complete')
})

test('[RELAY-16] no parameter headers are forwarded for a request without arguments', async () => {
  const { url, seen } = await aGateway()

  await request(url, 'prompts/get', { name: 'p' }, { headers: { 'mcp-param-region': 'eu' } })

  expect(seen).toEqual([{}])
})
