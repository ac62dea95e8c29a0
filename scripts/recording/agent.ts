// The agent of the recording, in a terminal: a script without a model. It starts Assent and calls its tools as a coding agent
// does, over stdio, and prints each step and the result that it receives. It does nothing else: the steps are only printed.

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { toolResultParts } from '../../test-kit/mcp/tool-result.ts'
import { words } from './words.ts'

const program = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
/** Longer than the recording takes on a slow machine. */
const timeoutMs = 120_000
/** Between two lines, so that a viewer can read them. */
const pauseMs = 900

const client = new Client({ name: words.agent, version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=assent-source', program],
    env: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ''])),
    stderr: 'ignore',
  }),
)

const say = async (line: string) => {
  console.log(line)
  await sleep(pauseMs)
}

await say(`\x1b[1m$ ${words.agent} "${words.task}"\x1b[0m\n`)
for (const line of words.before) await say(line)
console.log(`\x1b[33m${words.waits}\x1b[0m\n`)
const called = await client.callTool({ name: 'elicit_confirm', arguments: words.ask }, undefined, {
  timeout: timeoutMs,
})
const { text, data } = toolResultParts(called)
console.log(`\x1b[32m  ${text}\x1b[0m\n`)
await sleep(pauseMs)
if (data.confirmed === true) for (const line of words.after) await say(line)
// The terminal closes with this program, so the recorder ends it.
await sleep(timeoutMs)
