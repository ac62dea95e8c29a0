import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { listening } from '../../../test-kit/close-after-test.ts'
import { authzenVote } from './authzen.ts'
import type { PolicyCall } from './policy-set.ts'

const call: PolicyCall = {
  kind: 'tools',
  server: 'deploy',
  name: 'rollout',
  arguments: { env: 'production' },
  person: { principal: 'https://login#ann', groups: ['engineers'], roles: ['deployer'] },
  claims: { agent: 'coder' },
  time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
}

async function voteOf(respond: (response: ServerResponse, body: string, headers: object) => void, timeoutMs = 5_000) {
  const { url } = await listening((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => respond(response, body, request.headers))
  })
  const endpoint = new URL('/access/v1/evaluation', url)
  return await authzenVote(call, { endpoint, headers: { authorization: 'Bearer t' }, timeoutMs })
}

test('[POLICY-18] a permit of the decision point is a permit, and its denial is a denial', async () => {
  const received: unknown[] = []
  const permitted = await voteOf((response, body, { authorization }: { authorization?: string }) => {
    received.push(JSON.parse(body), authorization)
    response.end('{"decision":true}')
  })
  expect(permitted).toEqual({ permits: true })
  expect(received).toEqual([
    {
      subject: {
        type: 'identity',
        id: 'https://login#ann',
        properties: { groups: ['engineers'], roles: ['deployer'] },
      },
      action: { name: 'tools/call' },
      resource: {
        type: 'tool',
        id: 'deploy/rollout',
        properties: { server: 'deploy', name: 'rollout', annotations: {} },
      },
      context: { arguments: { env: 'production' }, agent: 'coder' },
    },
    'Bearer t',
  ])
  expect(await voteOf((response) => response.end('{"decision":false,"context":{"reason":"x"}}'))).toEqual({
    permits: false,
    isAnswer: true,
    reason: 'The decision point denies the call.',
  })
})

test.each<[what: string, respond: (response: ServerResponse) => void, reason: RegExp]>([
  ['another status', (response) => response.writeHead(403).end('{"decision":true}'), /status 403/],
  ['status 201', (response) => response.writeHead(201).end('{"decision":true}'), /status 201/],
  ['an error', (response) => response.writeHead(500).end(), /status 500/],
  ['a redirect', (response) => response.writeHead(307, { location: '/other' }).end(), /redirect/],
  ['a decision in text', (response) => response.end('{"decision":"true"}'), /no boolean decision/],
  ['no decision', (response) => response.end('{}'), /no boolean decision/],
  ['a decision in a prototype', (response) => response.end('{"__proto__":{"decision":true}}'), /no boolean decision/],
  ['a list', (response) => response.end('[{"decision":true}]'), /no boolean decision/],
  ['text that is not JSON', (response) => response.end('decision: true'), /not JSON/],
  ['an empty body', (response) => response.end(), /not JSON/],
  ['a body that is too large', (response) => response.end(`{"decision":true,"x":"${'x'.repeat(70_000)}"}`), /65536/],
  ['a broken connection', (response) => response.destroy(), /no valid answer/],
])('[POLICY-18] %s denies', async (_what, respond, reason) => {
  expect(await voteOf(respond)).toMatchObject({
    permits: false,
    isAnswer: false,
    reason: expect.stringMatching(reason),
  })
})

test('[POLICY-18] a decision point that does not respond in time, or cannot be reached, denies', async () => {
  expect(await voteOf(() => undefined, 50)).toMatchObject({
    permits: false,
    reason: expect.stringMatching(/no response within 50 ms/),
  })
  const late = await voteOf((response) => response.write('{"decision":true'), 50)
  expect(late).toMatchObject({ permits: false, isAnswer: false })
  const endpoint = new URL('http://127.0.0.1:1/access/v1/evaluation')
  expect(await authzenVote(call, { endpoint, headers: {}, timeoutMs: 5_000 })).toMatchObject({ permits: false })
})
