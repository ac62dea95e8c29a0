// Runs as a separate process: a hand-written 2025-11-25 server over stdio that keeps state between calls.
//
// Tools: `count` returns the number of its calls and the process id; `ask` asks the question in its argument `message`,
// with `named` also with the id of the call in our `_meta` member; `ask again` asks it until the answer is `stop`; `hang` returns when `release` is called; `late` asks
// after it was cancelled; `big` returns a message that is too large, `big and nameless` a large line without JSON.

import { createInterface } from 'node:readline'

interface Received {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly requestId?: number
    readonly arguments?: Record<string, unknown>
  }
  readonly result?: unknown
}

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (id: unknown, value: unknown) =>
  say({ id, result: { content: [{ type: 'text', text: JSON.stringify(value) }] } })
const form = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
const question = (id: string, message: unknown, more: object = {}) =>
  say({ id, method: 'elicitation/create', params: { message, requestedSchema: form, ...more } })

let counted = 0
const hanging: unknown[] = []
const late = new Set<unknown>()

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line) as Received
  if (method === 'initialize') {
    const info = { name: 'stateful', version: '1' }
    say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info } })
  } else if (method === 'notifications/cancelled' && late.has(params?.requestId)) {
    question(`q${params?.requestId}`, 'late')
  } else if (method === 'tools/call') {
    const { message, named } = params?.arguments ?? {}
    if (params?.name === 'count') {
      counted += 1
      text(id, { counted, process: process.pid })
    }
    if (params?.name === 'ask')
      question(`q${id}`, message, named === true ? { _meta: { 'assent/ask': { call: id } } } : {})
    if (params?.name === 'ask again') question(`again-${id}-1`, message)
    if (params?.name === 'big') text(id, 'x'.repeat(5_000_000))
    if (params?.name === 'big and nameless') process.stdout.write(`${'x'.repeat(5_000_000)}\n`)
    if (params?.name === 'hang') hanging.push(id)
    if (params?.name === 'late') late.add(id)
    if (params?.name === 'release') {
      for (const one of hanging.splice(0)) text(one, 'released')
      text(id, 'done')
    }
  } else if (method !== undefined && id !== undefined) {
    say({ id, error: { code: -32_601, message: 'unknown' } })
  } else if (typeof id === 'string' && id.startsWith('again-')) {
    const [, call, count] = id.split('-').map(Number)
    if (JSON.stringify(result).includes('stop')) text(call, result)
    else question(`again-${call}-${Number(count) + 1}`, `${count} more`)
  } else if (typeof id === 'string' && id.startsWith('q')) {
    text(Number(id.slice(1)), result ?? 'refused')
  }
})
