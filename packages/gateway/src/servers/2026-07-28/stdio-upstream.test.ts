import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { until } from '../../../../../test-kit/until.ts'
import { sampleCall, sampleWires } from '../2025-11-25/sample-wire.suite.ts'
import { StdioUpstream20260728 } from './stdio-upstream.ts'

function anUpstream() {
  const wired = sampleWires()
  const upstream = new StdioUpstream20260728('deploy', wired.open)
  closeAfterTest(() => upstream.close())
  return { upstream, ...wired }
}

test('[SHARE-9] a call whose caller has left starts no process', async () => {
  const { upstream, wires } = anUpstream()

  expect(await upstream.start(sampleCall(AbortSignal.abort()))).toMatchObject({ kind: 'failed', isUnsent: true })
  expect(wires).toEqual([])
})

test('[SHARE-10] the calls in progress fail when the gateway closes their process', async () => {
  const { upstream, calls } = anUpstream()
  const outcome = upstream.start(sampleCall())
  await until(() => calls()[0])

  await upstream.close()

  expect(await outcome).toMatchObject({
    kind: 'failed',
    error: { message: 'The connection to the server was closed.' },
  })
  // Whether the server did anything is not known, so it is not sent again.
  expect(await outcome).not.toHaveProperty('isUnsent')
  expect(calls()).toHaveLength(1)
})

test('[RELAY-5] a process gets no answers and no state that the caller added to a first request', async () => {
  const { upstream, calls } = anUpstream()
  const call = sampleCall()
  const params = { name: 'deploy', inputResponses: { ok: { action: 'accept' } }, requestState: 'mine' }
  const outcome = upstream.start({ ...call, params })
  const sent = await until(() => calls()[0])
  await upstream.close()
  await outcome

  expect(sent.params).toMatchObject({ name: 'deploy' })
  expect(sent.params).not.toHaveProperty('inputResponses')
  expect(sent.params).not.toHaveProperty('requestState')
})
