import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { isRunning } from '../../../../test-kit/is-running.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, serverLimits, setLimits } from '../limits.ts'
import { anAnsweredRound, aServer, done, inbox, retry, textOf } from './one-run.suite.ts'
import { aRawServer, asks, type RawRequest } from './wire.suite.ts'

test('[RUN-3] a claim is kept for as long as any state of its round is valid', async () => {
  const server = await aServer(() => done(server.runs.length))
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, inbox)
  const round = await anAnsweredRound(url, store)
  const claim = store.rounds.claim.bind(store.rounds)
  let keptMs = 0
  store.rounds.claim = (name, owner, keepMs) => {
    keptMs = keepMs
    return claim(name, owner, keepMs)
  }

  await retry(url, round)

  // The person has a day to answer, and the state is valid for another day.
  expect(keptMs).toBeGreaterThan(relayLimits.resumableWaitMs + relayLimits.deferredExtraMs - 60_000)
})

test('[RUN-7] a claim is released when nothing was sent, and the next retry runs the call', async () => {
  const server = await aServer(() => done(server.runs.length))
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, inbox)
  const round = await anAnsweredRound(url, store)
  // The same gateway with an unreachable server: no process listens on that port.
  const nowhere = await gateway({ deploy: { url: 'http://127.0.0.1:9/' } }, inbox)

  const refused = [await retry(nowhere.url, round), await retry(nowhere.url, round)]
  const outcomes = [await retry(url, round), await retry(nowhere.url, round)]

  for (const { message } of refused) expect(message.error.message).toContain('cannot be used now')
  expect(outcomes.map(textOf)).toEqual(['run 1', 'run 1'])
  expect(server.runs).toHaveLength(1)
})

/** A server on standard input that ends after its question, so that the next round needs a new process. */
const askAndEnd = `
  require('node:fs').writeFileSync(process.argv[3], String(process.pid))
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    if (method === 'server/discover') return say({ id, result: discovered })
    if (params.inputResponses !== undefined) return say({ id, result: JSON.parse(process.argv[1]) })
    say({ id, result: JSON.parse(process.argv[2]) })
    setTimeout(() => process.exit(0), 20)
  })`

test('[RUN-7] a claim is released when the process of the server could not be started', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assent-program-'))
  closeAfterTest(() => removeFolder(folder))
  const [command, pidFile] = [join(folder, 'node'), join(folder, 'pid')]
  // Long, so that the second retry certainly comes before the next attempt to start it.
  closeAfterTest(setLimits(serverLimits, { restartFirstMs: 4_000 }))
  await symlink(process.execPath, command)
  const results = [done(1), asks({ where: whichRegion }, 'round 1')].map(({ result }) => JSON.stringify(result))
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { command, args: ['-e', askAndEnd, ...results, pidFile] } }, inbox)
  const round = await anAnsweredRound(url, store)
  const pid = Number(await readFile(pidFile, 'utf8'))
  await until(() => (isRunning(pid) ? undefined : true))
  await rm(command)

  const refused = [await retry(url, round), await retry(url, round)]
  await symlink(process.execPath, command)
  const outcome = await until(async () => {
    const received = await retry(url, round)
    return received.message.error === undefined ? received : undefined
  })

  expect(refused[0]?.message.error.message).toContain('could not be started')
  expect(refused[1]?.message.error.message).toContain('cannot be used now')
  expect(textOf(outcome)).toBe('run 1')
})

test('[RUN-7] a connection that broke after the request was sent keeps its claim: the call is not run again', async () => {
  const runs: RawRequest[] = []
  const { url: server } = await aRawServer((received, response) => {
    if (received.params.inputResponses === undefined) return asks({ where: whichRegion }, 'round 1')
    runs.push(received)
    response.destroy()
    return undefined
  })
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server } }, inbox)
  const round = await anAnsweredRound(url, store)

  const outcomes = [await retry(url, round), await retry(url, round)]

  for (const { message } of outcomes) expect(message.error.message).toContain('is not known')
  expect(runs).toHaveLength(1)
})
