import { expect, onTestFinished, test, vi } from 'vitest'
import { serverLimits, setLimits } from '../limits.ts'
import { sampleCall, sampleWires } from './2025-11-25/sample-wire.suite.ts'
import { BackOff } from './back-off.ts'
import { openProcess } from './open-process.ts'
import { timeoutsOf } from './timeouts.ts'

test('[START-11] a process that answers nothing leaves no timer behind', async () => {
  onTestFinished(setLimits(serverLimits, { probeMs: 5 }))
  const started = vi.spyOn(globalThis, 'setInterval')
  const cleared = vi.spyOn(globalThis, 'clearInterval')
  onTestFinished(() => {
    started.mockRestore()
    cleared.mockRestore()
  })
  const { open, wires } = sampleWires({ opens: () => false })
  const options = {
    askWaitMs: 1_000,
    perCall: undefined,
    timeouts: timeoutsOf({ openMs: 20 }),
    onRevision: () => undefined,
  }

  await expect(openProcess('deploy', open, sampleCall(), new BackOff(), options)).rejects.toThrow('in time')

  const intervals = started.mock.results.map(({ value }) => value)
  expect(intervals.length).toBeGreaterThan(0)
  expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(intervals))
  expect(wires.map(({ isClosed }) => isClosed)).toEqual([true])
})
