// Runs as a separate process: a hand-written server over stdio. Its first argument selects how it misbehaves.
//
// The second argument names a file; each start of the process adds a line to it.

import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , how = '', boots = ''] = process.argv
appendFileSync(boots, `boot ${process.pid}\n`)
const starts = readFileSync(boots, 'utf8').trim().split('\n').length

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const serverInfo = { name: 'imperfect', version: '1' }
const capabilities = { tools: { listChanged: true } }
const revision = { old: '2024-11-05', batches: '2025-03-26' }[how] ?? '2025-06-18'
const isNewest = how.startsWith('slow-newest')

function resultOf(method: string, params: { arguments?: { bytes?: number } }): object | undefined {
  if (method === 'initialize' && !isNewest) return { protocolVersion: revision, capabilities, serverInfo }
  if (method === 'server/discover' && isNewest)
    return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities }
  if (method === 'tools/list') return { tools: [{ name: 'count', inputSchema: { type: 'object' } }] }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: 'x'.repeat(params.arguments?.bytes ?? 0) || `${process.pid}` }] }
  return undefined
}

function receive(line: string): void {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined || how.startsWith('mute')) return
  if (how === 'ends-at-unknown' && method === 'server/discover') process.exit(4)
  // Refuses unknown methods at once, but responds slowly to `server/discover`.
  if (how === 'slow-newest-strict' && method === 'server/discover') {
    setTimeout(() => say({ id, result: resultOf(method, params) }), 300)
    return
  }
  const result = resultOf(method, params)
  if (result !== undefined && how === 'batches' && method === 'tools/call') {
    const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'in a batch' } }
    process.stdout.write(`${JSON.stringify([log, { jsonrpc: '2.0', id, result }])}\n`)
  } else if (result !== undefined) say({ id, result })
  else if (how !== 'silent') say({ id, error: { code: -32_601, message: 'Method not found' } })
}

// Ignores the end of its input, and every signal that a process can ignore.
if (how === 'mute-stubborn') {
  process.stderr.write('waiting for a password\n')
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  setInterval(() => undefined, 1_000)
}
if (how === 'escapes') {
  process.stderr.write('\u001b]0;owned\u0007\u001b[2Jok    fine: 2025-11-25\n')
  process.exit(3)
}
if (how === 'chatty') process.stdout.write('Server is starting …\n')
if (how === 'fails') {
  process.stderr.write(`npm ERR! 404 Not Found\nthe key is ${process.env.KEY}\n`)
  process.exit(7)
}
if (how === 'fails-twice' && starts <= 2) process.exit(1)
const listen = () => createInterface({ input: process.stdin }).on('line', receive)
if (how.startsWith('slow')) setTimeout(listen, 2_500)
else listen()
