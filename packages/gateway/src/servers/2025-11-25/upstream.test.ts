import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { whichRegion } from '../../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { Call } from '../../call/model.ts'
import { anOlderRawServer } from '../../contract/wire.suite.ts'
import { BackOff } from '../back-off.ts'
import { openUpstream } from '../open-upstream.ts'
import { ProcessCount } from '../process-count.ts'

function callOf(principal: string): Call {
  return {
    tenant: 'default',
    principal,
    scope: '',
    method: 'tools/call',
    params: { name: 'ask', arguments: {} },
    client: { info: {}, declared: {}, capabilities: { elicitation: {} } },
    notify: () => undefined,
    signal: new AbortController().signal,
  }
}

test('[RELAY-8] a call in which a 2025 server waits is continued only by the person who started it', async () => {
  const server = await anOlderRawServer(({ say }) =>
    say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
  )
  const options = {
    askWaitMs: 60_000,
    onLog: () => undefined,
    environment: () => ({}),
    backOff: new BackOff(),
    processes: new ProcessCount(),
  }
  const upstream = await openUpstream('deploy', { url: server.url }, callOf('ann'), options)
  closeAfterTest(() => upstream.close())
  const asked = await upstream.start(callOf('ann'))
  if (asked.kind !== 'input-required') throw new Error('The server did not ask.')
  const given = (region: string) => ({ ask_1: { result: { action: 'accept', content: { region } } } })

  const outcome = await upstream.continue(callOf('bob'), asked.state, given('us'))

  expect(outcome).toMatchObject({ kind: 'failed' })
  void upstream.continue(callOf('ann'), asked.state, given('eu'))
  const answer = await until(() => server.received.find(({ id }) => id === 'q'))
  expect(answer.result).toEqual(given('eu').ask_1.result)
})
