// A thousand distinct secrets, on every path that a secret can take through the gateway.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { anOlderRawServer, aRawServer, asks, call, post, request } from '../contract/wire.suite.ts'
import { aRunningGateway } from '../program/process.suite.ts'
import { localKeyRing } from '../program/state.ts'

const canaries = Array.from(
  { length: 1_000 },
  (_, index) => `c4nary${index}x${crypto.randomUUID().replaceAll('-', '')}`,
)
const form = (message: string, title: string) => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties: { note: { type: 'string', title } }, required: ['note'] },
})

/** A server that repeats the caller's text in a question, an error or a result. */
async function aTalkativeServer() {
  return aRawServer(({ params }) => {
    const { how, words } = (params.arguments ?? {}) as { how?: string; words?: string }
    if (how === 'fail') return { error: { code: -32_000, message: `Failed with ${words}`, data: { words } } }
    if (how === 'ask' && params.inputResponses === undefined)
      return asks({ q: form(`About ${words}`, String(words)) }, String(words))
    return { result: { resultType: 'complete', content: [{ type: 'text', text: String(words) }] } }
  })
}

test('[WATCH-1] of a thousand secrets sent through every path none is in the log, metrics, errors or audit log', {
  timeout: 600_000,
}, async () => {
  const [newest, older] = [
    await aTalkativeServer(),
    await anOlderRawServer(({ params, say, end }) => {
      const { words } = params.arguments as { words: string }
      say({ id: words, method: 'elicitation/create', params: form(`About ${words}`, words) })
      setTimeout(() => end({ error: { code: -32_000, message: `Failed with ${words}` } }), 20)
    }),
  ]
  const ofServers = canaries.slice(0, 6)
  const prints = `process.stderr.write(process.env.C + ' ' + process.argv[1] + '\\n'); process.exit(1)`
  const gateway = await aRunningGateway(
    `log: { level: trace }
servers:
  newest: { url: "${newest.url}", headers: { Authorization: "Bearer \${env:C0}", X-Key: "\${env:C1}" } }
  older: { url: "${older.url}", headers: { Cookie: "\${env:C2}" } }
  away: { url: "http://127.0.0.1:1/${ofServers[3]}", headers: { X-Key: "\${env:C3}" } }
  broken: { command: "${process.execPath}", args: [-e, ${JSON.stringify(prints)}, "\${env:C4}"], env: { C: "\${env:C5}" } }`,
    Object.fromEntries(ofServers.map((canary, index) => [`C${index}`, canary])),
  )
  const { url } = gateway
  const errors: string[] = []
  const tool = (name: string, args: object, rounds = {}) =>
    request(url, 'tools/call', { name, arguments: args, ...rounds })
  const paths: readonly ((canary: string) => Promise<unknown>)[] = [
    (words) => tool('newest__t', { how: 'fail', words }),
    (words) => tool('newest__t', { how: 'say', words }),
    async (words) => {
      const args = { how: 'ask', words }
      const { requestState } = (await tool('newest__t', args)).message.result
      const inputResponses = { q: { action: 'accept', content: { note: words } }, [words]: { action: words } }
      await tool('newest__t', args, { requestState, inputResponses })
      await tool('newest__t', args, { requestState: words, inputResponses })
    },
    (words) => tool('older__t', { words }),
    async (words) => errors.push(JSON.stringify((await tool('away__t', { words })).message)),
    async (words) =>
      errors.push(
        await (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${words}` }, body: words })).text(),
      ),
    async (words) => errors.push(await (await fetch(`${url}?access_token=${words}`, { method: 'PUT' })).text()),
    async (words) => errors.push(await (await post(url, `{"jsonrpc":"2.0","id":1,"method":"${words}",`)).text()),
    async (words) =>
      errors.push(
        await (
          await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: { 'mcp-session-id': words } })
        ).text(),
      ),
    async (words) => errors.push(await (await fetch(new URL(`/${words}`, url))).text()),
    (words) => call(url, {}, {}, { headers: { 'mcp-name': words, origin: `https://${words}.example` } }),
  ]
  // A server that fails to start is called once; its output and environment must not be returned.
  errors.push(JSON.stringify((await tool('broken__t', {})).message))
  for (const [index, canary] of canaries.slice(6).entries()) await paths[index % paths.length]?.(canary)

  const metrics = await (await fetch(new URL('/metrics', url))).text()
  await gateway.stop()
  const record = await auditOf(join(gateway.folder, 'assent.db'))
  const log = `${gateway.received.err}${gateway.received.out}`

  expect(metrics).toContain('assent_asks_ended_total')
  expect(record.length).toBeGreaterThan(10_000)
  expect(log.split('\n').length).toBeGreaterThan(100)
  const found = Object.entries({ log, metrics, record, errors: errors.join('\n') }).flatMap(([where, text]) =>
    canaries.filter((canary) => text.includes(canary)).map((canary) => `${canaries.indexOf(canary)} in ${where}`),
  )
  expect(found).toEqual([])
})

async function auditOf(path: string): Promise<string> {
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  closeAfterTest(() => store.close())
  expect(readFileSync(path).length).toBeGreaterThan(0)
  let text = ''
  for await (const entry of store.audit.entries('default')) text += JSON.stringify(entry)
  return text
}
