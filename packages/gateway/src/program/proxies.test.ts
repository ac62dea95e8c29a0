// Tests the nginx and HAProxy configurations in deploy/ with the real programs.

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, aSession, complete, nextOf } from '../contract/wire.suite.ts'
import { aFolder, aProcessOf, aRunningGateway, mayBeMissing } from './process.suite.ts'

const shipped = (name: string) => readFileSync(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8')
const done = { content: [{ type: 'text', text: 'done' }] }
const servers = () => `servers: { older: ${aProcessOf('2025-11-25')}, newest: ${aProcessOf('2026-07-28')} }`
const known = { ASSENT_HOSTS: 'assent.example.com' }

/** The shipped configuration with other addresses and without certificates. */
function nginxConfig(port: number, gateway: string, folder: string): string {
  const server = shipped('nginx.conf')
    .replace('server 127.0.0.1:7420;', `server ${new URL(gateway).host};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*$/gm, '')
  return `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
${server} }`
}

function haproxyConfig(port: number, gateways: readonly string[]): string {
  const [a = '', b = ''] = gateways.map((url) => new URL(url).host)
  return (
    shipped('haproxy.cfg')
      .replace('bind :443 ssl crt /etc/haproxy/assent.pem alpn h2,http/1.1', `bind 127.0.0.1:${port}`)
      .replace('10.0.0.1:7420', a)
      .replace('10.0.0.2:7420', b)
      // On a busy machine a gateway may miss some checks.
      .replaceAll('fall 2', 'fall 20')
  )
}

/** Starts a proxy and resolves when it forwards requests. */
async function aProxy(program: string, words: readonly string[], port: number): Promise<string> {
  const child = spawn(program, words, { stdio: 'ignore' })
  const closed = new Promise((resolve) => child.on('close', resolve))
  closeAfterTest(async () => {
    // With other signals HAProxy waits for its connections to close.
    child.kill(program === 'nginx' ? 'SIGTERM' : 'SIGKILL')
    await closed
  })
  const url = `http://127.0.0.1:${port}/mcp`
  await until(async () => {
    const response = await fetch(url, { method: 'POST' }).catch(() => undefined)
    return response?.status === 415 ? true : undefined
  })
  return url
}

async function asksThrough(url: string): Promise<void> {
  for (const generation of ['2025-11-25', '2026-07-28'] as const) {
    const client = await aClient(generation, url)
    for (const tool of ['older__ask', 'newest__ask']) {
      expect(await client.call(tool, { questions: [whichRegion] })).toMatchObject(done)
    }
    expect(client.asked).toHaveLength(2)
  }
  // The question must arrive while its call is still open, else a person could never answer it.
  const session = await aSession(url)
  const stream = await session.ask('tools/call', { name: 'older__ask', arguments: { questions: [whichRegion] } })
  const question = await nextOf(stream)
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } })
  expect(await nextOf(stream)).toMatchObject({ result: done })
}

test.skipIf(mayBeMissing('nginx'))(
  '[PROG-16] behind our nginx configuration, questions of both generations pass without delay',
  async () => {
    const gateway = await aRunningGateway(servers(), known)
    const [folder, port] = [await aFolder(), await freePort()]
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxConfig(port, gateway.url, folder))

    expect(spawnSync('nginx', ['-t', '-q', '-c', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    const url = await aProxy('nginx', ['-c', file], port)

    await asksThrough(url)
    expect((await fetch(new URL('/metrics', url))).status).toBe(404)
  },
)

test.skipIf(mayBeMissing('haproxy'))(
  '[PROG-16] behind our HAProxy configuration, a session stays with its gateway',
  async () => {
    const behind = `servers: { a: { url: "${(await aRawServer(() => complete)).url}" } }`
    const gateways = [await aRunningGateway(behind, known), await aRunningGateway(behind, known)]
    const [folder, port] = [await aFolder(), await freePort()]
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(
      file,
      haproxyConfig(
        port,
        gateways.map(({ url }) => url),
      ),
    )

    expect(spawnSync('haproxy', ['-c', '-q', '-f', file]).status).toBe(0)
    const url = await aProxy('haproxy', ['-db', '-f', file], port)

    // Twenty sessions on two gateways: every later request must reach the gateway of its session.
    const sessions = await Promise.all(Array.from({ length: 20 }, () => aSession(url)))
    const pings = sessions.flatMap((session) =>
      [1, 2].map((id) => session.post({ jsonrpc: '2.0', id, method: 'ping' })),
    )
    expect(new Set((await Promise.all(pings)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await fetch(new URL('/metrics', url))).status).toBe(404)
  },
)
