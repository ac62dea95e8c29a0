// The host names under which the metrics and health pages respond.

import { execFileSync } from 'node:child_process'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { freePort } from '../../../../test-kit/listen.ts'
import { aRunningGateway } from '../program/process.suite.ts'

const pages = ['/metrics', '/healthz', '/readyz']

/** Not `fetch`, which sets the Host header itself. */
function statusUnder(url: URL, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject).end()
  })
}

test('[LOCAL-8] metrics and health pages refuse a foreign host and a foreign page, wherever they are served', async () => {
  const port = await freePort()
  const shared = await aRunningGateway('servers: { a: { command: b } }')
  const separate = await aRunningGateway(`metrics: { listen: "127.0.0.1:${port}" }\nservers: { a: { command: b } }`)
  const ownPort = new URL(shared.url).port

  for (const [origin, own] of [
    [new URL(shared.url).origin, ownPort],
    [`http://127.0.0.1:${port}`, String(port)],
  ] as const) {
    for (const path of pages) {
      const url = new URL(path, origin)
      const seen = {
        foreign: await statusUnder(url, { host: 'rebind.evil.example' }),
        foreignWithPort: await statusUnder(url, { host: `rebind.evil.example:${own}` }),
        page: await statusUnder(url, { host: `127.0.0.1:${own}`, origin: 'https://evil.example' }),
        byName: await statusUnder(url, { host: `localhost:${own}` }),
        byAddress: await statusUnder(url, { host: `127.0.0.1:${own}` }),
      }
      expect([path, seen]).toEqual([
        path,
        { foreign: 403, foreignWithPort: 403, page: 403, byName: 200, byAddress: 200 },
      ])
    }
  }
  expect(await statusUnder(new URL('/nothing', `http://127.0.0.1:${port}`), { host: 'evil.example' })).toBe(403)
  await separate.stop('SIGKILL')
})

test('[LOCAL-8] probes with the address of the connection, without a Host, or with a configured name are accepted', async () => {
  const [address] = Object.values(networkInterfaces())
    .flat()
    .filter((one) => one !== undefined && one.family === 'IPv4' && !one.internal)
    .map((one) => one?.address)
  const port = await freePort()
  await aRunningGateway(
    `metrics: { listen: "0.0.0.0:${port}" }\nhosts: [metrics.internal]\nservers: { a: { command: b } }`,
  )
  const here = new URL('/readyz', `http://127.0.0.1:${port}`)

  expect(await statusUnder(here, { host: 'metrics.internal:9464' })).toBe(200)
  // An IP address other than that of this connection is refused like any unknown host name.
  expect(await statusUnder(here, { host: '203.0.113.7' })).toBe(403)
  if (address !== undefined) {
    const there = new URL('/readyz', `http://${address}:${port}`)
    expect(await statusUnder(there, { host: `${address}:${port}` })).toBe(200)
    expect(await statusUnder(there, { host: 'evil.example' })).toBe(403)
  }
  expect(await firstLine(port, 'GET /readyz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/)
})

test('[LOCAL-13] a request for the script of a service worker reaches the inbox at every path, also at the endpoint', async () => {
  execFileSync('npm', ['run', '--silent', 'web'])
  const { url } = await aRunningGateway('asks: { surfaces: [inbox] }\nservers: { a: { command: b } }')
  for (const path of ['/mcp', '/healthz', '/metrics']) {
    const response = await fetch(new URL(path, url), { headers: { 'service-worker': 'script' } })
    expect([path, response.status]).toEqual([path, 200])
    expect(await response.text()).toContain('registration.unregister()')
  }
})

function firstLine(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').once('data', (reply: string) => {
      socket.destroy()
      resolve(reply.split('\r\n', 1)[0] ?? '')
    })
    socket.on('error', reject)
  })
}
