// `assent servers` as a separate process, with real servers of every kind.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { isRunning } from '../../../../test-kit/is-running.ts'
import { aLegacyServer, anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer } from '../contract/wire.suite.ts'
import { aFolder, aProcessOf, assent, startAssent } from './process.suite.ts'

const script = fileURLToPath(new URL('../contract/imperfect-process.suite.ts', import.meta.url))

/** A server that misbehaves; it logs its starts to the file `boots` in the folder. */
function imperfect(how: string, folder: string, more = ''): string {
  const args = [script, how, join(folder, 'boots')].map((one) => JSON.stringify(one)).join(', ')
  return `{ command: ${JSON.stringify(process.execPath)}, args: [${args}]${more} }`
}

async function aHttpsServer(folder: string): Promise<{ url: string }> {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
  const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    response.writeHead(404).end()
  })
  const { url } = await listening(server as never)
  return { url: url.replace('http:', 'https:') }
}

test('[CHECK-1] every kind of server is reported with its revision, transport, tools and start-up time', async () => {
  const [older, newest, legacy] = [
    await anAskingServer('2025-11-25'),
    await anAskingServer('2026-07-28'),
    await aLegacyServer(),
  ]
  const folder = await aFolder()
  const config = `servers:
  old-process: ${imperfect('old', folder)}
  new-process: ${aProcessOf('2026-07-28')}
  older-http: { url: ${older.url} }
  newest-http: { url: ${newest.url} }
  sse: { url: ${legacy.url} }`
  const home = await aFolder({ 'assent.yaml': config })

  const text = await assent(['servers'], { folder: home })
  const json = await assent(['servers', '--json'], { folder: home })

  expect({ code: text.code, err: text.err }).toEqual({ code: 0, err: '' })
  expect(text.out).toMatch(/^ok {4}old-process: 2024-11-05 over stdio, 1 tool, ready after \d+ ms$/m)
  expect(text.out).toMatch(/^ok {4}sse: {9}2025-11-25 over HTTP\+SSE, 1 tool, ready after \d+ ms$/m)
  expect(text.out).toContain('5 of 5 servers can be used.')
  const found = JSON.parse(json.out)
  expect(found).toMatchObject({ ok: true, file: 'assent.yaml' })
  expect(found.servers).toEqual(
    [
      ['old-process', 'stdio', '2024-11-05'],
      ['new-process', 'stdio', '2026-07-28'],
      ['older-http', 'streamable-http', '2025-11-25'],
      ['newest-http', 'streamable-http', '2026-07-28'],
      ['sse', 'http+sse', '2025-11-25'],
    ].map(([name, transport, revision]) => ({
      name,
      ok: true,
      transport,
      revision,
      tools: 1,
      hiddenTools: 0,
      startMs: expect.any(Number),
    })),
  )
})

test('[CHECK-1] [SERVER-1] [SERVER-4] tools are counted as clients list them, with shortened names', async () => {
  const long = 'search_in_the_documents_of_all_teams_by_words_and_authors'
  const tools = ['short', long, 'debug_dump'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  const server = await aRawServer(() => ({ result: { tools } }))
  const config = `servers:
  documents: { url: ${server.url}, tools: { deny: ["debug_*"] } }
  other: { url: ${server.url}, prefix: o }`
  const folder = await aFolder({ 'assent.yaml': config })

  const text = await assent(['servers'], { folder })
  const json = await assent(['servers', '--json'], { folder })

  expect(text.out).toMatch(
    /^ok {4}documents: 2026-07-28 .*, 2 tools \(1 more not offered\), 1 with a short name for clients, ready/m,
  )
  expect(text.out).toMatch(/^ok {4}other: {5}2026-07-28 .*, 3 tools, ready/m)
  expect(JSON.parse(json.out).servers).toMatchObject([{ tools: 2, shortened: [long] }, { tools: 3 }])
})

test('[CHECK-1] each server that does not work is reported with the reason, and the exit code is 1', async () => {
  const folder = await aFolder()
  const challenge = 'Bearer resource_metadata="https://example.test/meta"'
  const closed = await listening(
    createServer((_request, response) => void response.writeHead(401, { 'www-authenticate': challenge }).end()),
  )
  const { url: unknown } = await aHttpsServer(folder)
  const config = `servers:
  good: ${aProcessOf('2026-07-28')}
  missing: { command: no-such-program-here }
  fails: ${imperfect('fails', folder, ', env: { KEY: hunter2-hunter2 }')}
  closed: { url: ${closed.url} }
  unknown: { url: "${unknown}/mcp" }
  plain: { url: "${closed.url.replace('http:', 'https:')}/mcp" }
  away: { url: "http://127.0.0.1:9/mcp" }`
  const home = await aFolder({ 'a.yaml': config })

  const { code, out } = await assent(['servers', '--config', 'a.yaml'], { folder: home })

  expect(code).toBe(1)
  expect(out).toMatch(/^ok {4}good: /m)
  expect(out).toMatch(/^error missing: .*the program no-such-program-here was not found/m)
  expect(out).toMatch(/^error fails: .*exit code 7.*npm ERR! 404 Not Found \| the key is \[secret\]/m)
  expect(out).toMatch(/^error closed: .*HTTP status 401.*resource_metadata="https:\/\/example\.test\/meta"/m)
  expect(out).toMatch(/^error unknown: .*certificate is not trusted: self-signed certificate .*NODE_EXTRA_CA_CERTS/m)
  expect(out).toMatch(/^error plain: .*does not use TLS/m)
  expect(out).toMatch(/^error away: .*connect ECONNREFUSED 127\.0\.0\.1:9$/m)
  expect(out).toContain('1 of 7 servers can be used.')
  expect(out).not.toContain('hunter2')
})

/** Started through a wrapper process that stays alive, as npx does. */
function wrapped(how: string, folder: string, more = ''): string {
  const line = [process.execPath, script, how, join(folder, 'boots')].map((one) => `'${one}'`).join(' ')
  return `{ command: sh, args: [-c, ${JSON.stringify(`${line}; true`)}]${more} }`
}

test.each([
  ['its process is', imperfect],
  ['the process that it started is', wrapped],
])('[CHECK-2] a server that sends nothing times out at its start limit, and %s stopped', async (_what, server) => {
  const folder = await aFolder()
  const mute = server('mute-stubborn', folder, ', timeouts: { start: 8s }')
  const config = `servers: { mute: ${mute}, good: ${aProcessOf('2026-07-28')} }`
  const home = await aFolder({ 'assent.yaml': config })

  const began = performance.now()
  const { code, out } = await assent(['servers'], { folder: home })
  const tookMs = performance.now() - began

  expect(code).toBe(1)
  expect(out).toMatch(/^error mute: The server did not respond within 8 s .*waiting for a password/m)
  expect(out).toMatch(/^ok {4}good: /m)
  // Less than the usual limit of thirty seconds.
  expect(tookMs).toBeLessThan(29_000)
  expect(bootsIn(folder)).toHaveLength(1)
  for (const pid of bootsIn(folder)) await until(() => (isRunning(pid) ? undefined : true))
})

test('[CHECK-2] a stopped command stops the processes that it started', async () => {
  const folder = await aFolder()
  const home = await aFolder({ 'assent.yaml': `servers: { mute: ${imperfect('mute-stubborn', folder)} }` })
  const { child, ended } = startAssent(['servers'], { folder: home })
  await until(() => (bootsIn(folder).length > 0 ? true : undefined))

  child.kill('SIGTERM')
  const { code, out } = await ended

  expect(code).toBe(1)
  expect(out).toContain('The check was stopped.')
  for (const pid of bootsIn(folder)) await until(() => (isRunning(pid) ? undefined : true))
})

test('[CHECK-3] server output cannot control the terminal or imitate a line of ours', async () => {
  const folder = await aFolder()
  const home = await aFolder({ 'assent.yaml': `servers: { rude: ${imperfect('escapes', folder)} }` })

  const text = await assent(['servers'], { folder: home })
  const json = await assent(['servers', '--json'], { folder: home })

  for (const { out } of [text, json]) {
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(out).not.toMatch(/^ok/m)
    expect(out).toContain('exit code 3')
  }
})

test('[CHECK-1] per-server settings apply: the start timeout, and tools that are not offered', async () => {
  const folder = await aFolder()
  const config = `servers:
  hidden: ${imperfect('ordinary', folder, ', tools: { deny: ["c*"] }')}
  mute: ${imperfect('mute', folder, ', timeouts: { start: 1s }')}`
  const home = await aFolder({ 'assent.yaml': config })

  const { code, out } = await assent(['servers'], { folder: home })

  expect(code).toBe(1)
  expect(out).toMatch(/^ok {4}hidden: .*, 0 tools \(1 more not offered\), ready/m)
  expect(out).toMatch(/^error mute: .* within 1 s/m)
})

test('[CHECK-1] an invalid configuration is explained, and no server is started', async () => {
  const home = await aFolder({ 'assent.yaml': 'servers: { a: { comand: b } }' })

  const { code, out, err } = await assent(['servers'], { folder: home })

  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('Did you mean `command`?')
})

function bootsIn(folder: string): number[] {
  try {
    return [...readFileSync(join(folder, 'boots'), 'utf8').matchAll(/boot (\d+)/g)].map(([, pid]) => Number(pid))
  } catch {
    return []
  }
}
