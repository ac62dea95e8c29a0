import { expect, onTestFinished, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { until } from '../../../../test-kit/until.ts'
import type { Call, Upstream } from '../call/model.ts'
import type { Telemetry } from '../call/telemetry-port.ts'
import { serverLimits, setLimits } from '../limits.ts'
import { sampleCall } from './2025-11-25/sample-wire.suite.ts'
import { ServerVersions } from './server-versions.ts'

const listening: Pick<Upstream, 'listen' | 'close'> = {
  listen: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  close: async () => undefined,
}

test('[SHARE-9] a failed server is opened again for a client that still listens, not for one that has left', async () => {
  onTestFinished(setLimits(serverLimits, { restartFirstMs: 20, restartLastMs: 20 }))
  const scopes: string[] = []
  const open = async ({ scope }: Call) => {
    scopes.push(scope)
    if (scopes.length === 1) throw new Error('not ready')
    return listening as Upstream
  }
  const versions = new ServerVersions('deploy', open, { health: () => undefined } as unknown as Telemetry)
  closeAfterTest(() => versions.close())
  const [leaving, staying] = [new AbortController(), new AbortController()]
  const first = versions.listen(sampleCall(leaving.signal, { scope: 'leaves' }))
  const second = versions.listen(sampleCall(staying.signal, { scope: 'stays' }))
  await new Promise((resolve) => setImmediate(resolve))
  leaving.abort()
  await first

  await until(() => scopes[1])
  staying.abort()
  await second

  expect(scopes).toEqual(['leaves', 'stays'])
})
