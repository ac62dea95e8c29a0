// What a replica does about the calls and asks of dead ones, to the millisecond.
import { expect, test } from 'vitest'
import { aHeartbeat, leaseMs, pass, renewEveryMs } from './heartbeat.suite.ts'
import { sweepDeadReplicas } from './heartbeat.ts'

const dead = { id: 'b', isAlive: false }
const alive = { id: 'c', isAlive: true }

test('[RUN-4] a replica that is alone writes nothing', async () => {
  const { heartbeat, store, state, renew } = aHeartbeat()
  state.owners = [{ id: 'a', isAlive: false }]
  sweepDeadReplicas(heartbeat, store)

  await pass(5 * renewEveryMs)

  expect(renew).not.toHaveBeenCalled()
})

test('[RUN-13] a replica next to others renews its lease, and ends nothing while all are alive', async () => {
  const { heartbeat, store, state, renew, abandonLostCalls, withdrawOfDeadReplicas } = aHeartbeat()
  state.owners = [alive]
  sweepDeadReplicas(heartbeat, store)

  await pass(10 * renewEveryMs)

  expect(renew).toHaveBeenCalled()
  expect(heartbeat.isSteady).toBe(true)
  expect(abandonLostCalls).not.toHaveBeenCalled()
  expect(withdrawOfDeadReplicas).not.toHaveBeenCalled()
})

test('[RUN-13] a steady replica ends the calls and asks of a dead one, and reports how many calls', async () => {
  const { heartbeat, store, state, abandonLostCalls, withdrawOfDeadReplicas } = aHeartbeat()
  state.owners = [alive, dead]
  state.lost = ['call_1', 'call_2']
  const lost: number[] = []
  sweepDeadReplicas(heartbeat, store, (calls) => lost.push(calls))

  await pass(renewEveryMs + leaseMs - 1)
  expect(abandonLostCalls).not.toHaveBeenCalled()
  await pass(1)
  expect(lost).toEqual([2])
  expect(withdrawOfDeadReplicas).toHaveBeenCalledTimes(1)
  state.lost = []
  await pass(renewEveryMs)
  expect(lost).toEqual([2])
  expect(withdrawOfDeadReplicas).toHaveBeenCalledTimes(2)
})

test('[RUN-13] no listener for lost calls is needed', async () => {
  const { heartbeat, store, state, errors, withdrawOfDeadReplicas } = aHeartbeat()
  Object.assign(state, { owners: [dead], lost: ['call_1'] })
  sweepDeadReplicas(heartbeat, store)

  await pass(10 * renewEveryMs)

  expect(errors).toEqual([])
  expect(withdrawOfDeadReplicas).toHaveBeenCalled()
})
