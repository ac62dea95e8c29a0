// Approved calls that fail before they are sent: a retry runs them, once.

import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import type { RecordedCall, Store } from '@assent/store'
import { expect, onTestFinished, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import { policyLimits, setLimits } from '../../limits.ts'
import { AuditTrail } from '../audit-trail.ts'
import { ClaimedRounds } from '../hold/claimed-rounds.ts'
import { unavailable } from '../hold/sample-calls.suite.ts'
import { type Answers, failed, type NeedsInput, NotSent, type Outcome, type Upstream } from '../model.ts'
import { CallRecorder } from '../record/call-recorder.ts'
import { RecordWriter } from '../record/record-writer.ts'
import { Relay } from '../relay.ts'
import { callOf, settings } from '../route/sample-rounds.suite.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import {
  aGate,
  allowAll,
  anApprovedCall,
  approves,
  aServer,
  askBen,
  askClient,
  needsInput,
  notUsable,
  ran,
  refusedText,
} from './sample-gate.suite.ts'

type Gate = Awaited<ReturnType<typeof aGate>>

const accept = { action: 'accept' }

/** The use is committed, and its reply is lost. */
function loseReplyToUse({ grants }: Store): void {
  const use = grants.use.bind(grants)
  vi.spyOn(grants, 'use').mockImplementationOnce(async (used) => {
    await use(used)
    return unavailable()
  })
}

const outages: readonly [string, (made: Gate) => unknown][] = [
  ['the approval cannot be read', ({ store }) => vi.spyOn(store.grants, 'read').mockImplementationOnce(unavailable)],
  ['the approval cannot be used', ({ store }) => vi.spyOn(store.grants, 'use').mockImplementationOnce(unavailable)],
  ['the use of the approval is stored and its reply is lost', ({ store }) => loseReplyToUse(store)],
]

test.each(outages)('[POLICY-67] an approved call runs once at a retry, if %s', async (_, fail) => {
  const made = await anApprovedCall()
  fail(made)

  await expect(made.proceed()).rejects.toThrow(NotSent)
  expect(made.server.runs()).toBe(0)

  expect(await made.proceed()).toEqual(ran)
  expect(refusedText(await made.proceed())).toContain(notUsable)
  expect(made.server.runs()).toBe(1)
  expect(await made.store.audit.verify('default')).toMatchObject({ ok: true })
})

test('[POLICY-67] an approved call runs once at a retry, if reading the definition of its tool failed', async () => {
  const { store, server, proceed, replica } = await anApprovedCall()
  // This replica has not read the definition yet.
  const gated = replica()
  vi.spyOn(store.definitions, 'of').mockImplementationOnce(unavailable)

  await expect(proceed(gated)).rejects.toThrow(NotSent)

  expect(await proceed(gated)).toEqual(ran)
  expect(refusedText(await proceed(gated))).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-67] a use that fails several times is still recognised', async () => {
  const { store, server, proceed } = await anApprovedCall()
  loseReplyToUse(store)
  await expect(proceed()).rejects.toThrow(NotSent)
  loseReplyToUse(store)
  await expect(proceed()).rejects.toThrow(NotSent)

  expect(await proceed()).toEqual(ran)
  expect(server.runs()).toBe(1)
})

test('[POLICY-67] a yes of the client runs the call at a retry, if it could not be stored', async () => {
  const { store, server, gated } = await aGate([allowAll, askClient])
  const asked = needsInput(await gated.start(callOf()))
  const proceed = () => gated.continue(callOf(), asked.state, { approval: approves })
  vi.spyOn(store.grants, 'useState').mockImplementationOnce(unavailable)

  await expect(proceed()).rejects.toThrow(NotSent)

  expect(await proceed()).toEqual(ran)
  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-67] a call that cannot be judged because the store failed was not sent', async () => {
  const { store, server, gated } = await aGate([allowAll])
  vi.spyOn(store.definitions, 'of').mockImplementationOnce(unavailable)

  await expect(gated.start(callOf())).rejects.toThrow(NotSent)
  expect(server.runs()).toBe(0)
})

test('[POLICY-38] requests with the same approval at the same moment run the call once', async () => {
  const { server, proceed, replica } = await anApprovedCall()
  const other = replica()

  const outcomes = await Promise.all([proceed(), proceed(other), proceed(), proceed(other)])

  expect(outcomes.filter(({ kind }) => kind === 'finished')).toEqual([ran])
  expect(server.runs()).toBe(1)
})

test('[POLICY-38] of requests at the same moment after a use that failed, one runs the call', async () => {
  const { store, server, proceed } = await anApprovedCall()
  loseReplyToUse(store)
  await expect(proceed()).rejects.toThrow(NotSent)

  const outcomes = await Promise.all([proceed(), proceed(), proceed()])

  expect(outcomes.filter(({ kind }) => kind === 'finished')).toEqual([ran])
  expect(server.runs()).toBe(1)
})

test('[POLICY-38] a use that one replica may have made is not recognised by another one', async () => {
  const { store, server, proceed, replica } = await anApprovedCall()
  loseReplyToUse(store)
  await expect(proceed()).rejects.toThrow(NotSent)

  expect(refusedText(await proceed(replica()))).toContain(notUsable)
  expect(server.runs()).toBe(0)
  expect(await proceed()).toEqual(ran)
  expect(refusedText(await proceed(replica()))).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-38] a replica whose use failed does not run what another one ran meanwhile', async () => {
  const { store, server, proceed, replica } = await anApprovedCall()
  vi.spyOn(store.grants, 'use').mockImplementationOnce(unavailable)
  await expect(proceed()).rejects.toThrow(NotSent)

  expect(await proceed(replica())).toEqual(ran)
  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-38] a call whose server failed after it was sent is not sent again', async () => {
  const lost = () => {
    throw new Error('The connection broke.')
  }
  const { store, server, proceed } = await anApprovedCall(aServer({ 'tools/call': lost }))
  loseReplyToUse(store)
  await expect(proceed()).rejects.toThrow(NotSent)

  const sent: unknown = await proceed().catch((error: unknown) => error)
  expect(sent).not.toBeInstanceOf(NotSent)
  expect(sent).toMatchObject({ message: 'The connection broke.' })
  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-38] beyond the limit the oldest failed use is dropped, and its call does not run', async () => {
  const restore = setLimits(policyLimits, { repeatableUses: 1 })
  onTestFinished(restore)
  const made = await anApprovedCall()
  const second = callOf({ params: { name: 'deploy', arguments: { env: 'test' } } })
  const asked = needsInput(await made.gated.start(second))
  const given = { approval: await made.answered(asked, accept, second) }
  loseReplyToUse(made.store)
  await expect(made.proceed()).rejects.toThrow(NotSent)
  loseReplyToUse(made.store)
  await expect(made.gated.continue(second, asked.state, given)).rejects.toThrow(NotSent)

  expect(refusedText(await made.proceed())).toContain(notUsable)
  expect(await made.gated.continue(second, asked.state, given)).toEqual(ran)
})

/** The gate between the two parts of a recorder whose rows are in a list, like the rows of the store: an ended row stays. */
async function aRecordedCall(changes: Parameters<typeof callOf>[0] = {}) {
  const made = await aGate([allowAll, askBen])
  const rows = new Map<string, RecordedCall>()
  const write = vi.fn(async (calls: readonly RecordedCall[]) => {
    for (const call of calls) if (rows.get(call.id)?.outcome === undefined) rows.set(call.id, call)
  })
  const ignore = () => undefined
  const writer = new RecordWriter({ write }, ignore, ignore)
  const recorder = new CallRecorder(
    writer,
    () => ({ isOn: true, keepsArguments: false }),
    () => 5,
  )
  const gated = recorder.over(made.server.upstream, (below) => made.gate.over(below))
  const other = recorder.over(made.server.upstream, (below) => made.replica(below))
  const asked = needsInput(await gated.start(callOf()))
  const given: Answers = { approval: await made.answered(asked, accept) }
  const written = async () => {
    await writer.close()
    return [...rows.values()]
  }
  const proceed = () => gated.continue(callOf(changes), asked.state, given)
  const elsewhere = () => other.continue(callOf(changes), asked.state, given)
  return { ...made, write, written, proceed, elsewhere }
}

test('[RECORD-15] an approved call whose row could not be stored runs once at a retry, and the row has its outcome', async () => {
  const { write, written, server, proceed, store } = await aRecordedCall()
  const use = vi.spyOn(store.grants, 'use')
  write.mockImplementationOnce(unavailable)

  const refused = await proceed()

  expect(refused).toMatchObject({ kind: 'failed', isUnsent: true })
  expect(refusedText(refused)).toContain('must be recorded before it runs')
  expect(use).not.toHaveBeenCalled()
  expect(await proceed()).toMatchObject(ran)
  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
  expect(await written()).toMatchObject([{ outcome: 'ok', effect: 'ask' }])
})

test('[RECORD-15] the row of an approved call is stored once, before its approval is used', async () => {
  const { write, proceed, store } = await aRecordedCall()
  write.mockClear()
  const use = vi.spyOn(store.grants, 'use')

  await proceed()

  expect(write.mock.calls.filter(([[row]]) => row?.outcome === undefined)).toHaveLength(1)
  expect(write.mock.invocationCallOrder[0]).toBeLessThan(use.mock.invocationCallOrder[0] ?? 0)
})

test('[RECORD-15] a retry after an error of the store ends the row of the call', async () => {
  const { written, proceed, store } = await aRecordedCall()
  loseReplyToUse(store)

  await expect(proceed()).rejects.toThrow(NotSent)
  expect(await proceed()).toMatchObject(ran)

  expect(await written()).toMatchObject([{ outcome: 'ok' }])
})

test('[RECORD-15] a request that finds the approval used does not end the row of the call', async () => {
  const { written, proceed, elsewhere, store } = await aRecordedCall()
  loseReplyToUse(store)

  await expect(proceed()).rejects.toThrow(NotSent)
  expect(refusedText(await elsewhere())).toContain(notUsable)
  expect(await proceed()).toMatchObject(ran)

  expect(await written()).toMatchObject([{ outcome: 'ok' }])
})

test('[RECORD-15] a call of a caller that cannot retry is recorded as failed', async () => {
  const { written, proceed, store } = await aRecordedCall({ leavesAfterMs: () => 1_000 })
  vi.spyOn(store.grants, 'use').mockImplementationOnce(unavailable)

  await expect(proceed()).rejects.toThrow(NotSent)

  expect(await written()).toMatchObject([{ outcome: 'failed' }])
})

/** The gate below a relay, whose rounds are claimed. */
async function aClaimedCall(upstreamOf: (gated: Upstream) => Upstream = (gated) => gated) {
  const made = await aGate([allowAll, askBen])
  const { store } = made
  const ignore = () => undefined
  const trail = new AuditTrail(store.audit, () => store.nowMs(), ignore)
  closeAfterTest(() => trail.close())
  const gated = upstreamOf(made.gated)
  const relay = new Relay(
    ['ops'],
    async () => gated,
    trail,
    new OpenAskLimits({ isEnabled: true, askWaitMs: settings.askWaitMs }),
  )
  const heartbeat = new Heartbeat(store, 'a', ignore)
  closeAfterTest(() => heartbeat.close())
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const claims = new ClaimedRounds(store, heartbeat, keys, { askWaitMs: 60_000 }, ignore)
  const asked = await relay.start(callOf())
  if (asked.kind !== 'input-required') throw new Error('The call needs no approval.')
  const approval = await made.answered(asked as unknown as NeedsInput, accept)
  const name = { tenant: 'default', id: 'approval 1', principal: 'ann' }
  const timeouts = { forMs: 60_000, signal: new AbortController().signal }
  const retry = () =>
    claims.run(name, timeouts, () => relay.continue(callOf(), asked.state, { approval })) as Promise<Outcome>
  return { ...made, retry }
}

test.each(outages)('[POLICY-67] the claim of an approved call is released, if %s', async (_, fail) => {
  const made = await aClaimedCall()
  fail(made)

  const first = await made.retry()

  expect(refusedText(first)).toBe('The gateway cannot reach its database. Nothing ran: try again later.')
  expect(await made.retry()).toEqual(ran)
  // The outcome is stored: nothing is sent again.
  expect(await made.retry()).toEqual(ran)
  expect(made.server.runs()).toBe(1)
})

test('[POLICY-67] an error of the store that may come after the call was sent is the outcome, and names the database', async () => {
  const made = await aClaimedCall((gated) => ({
    ...gated,
    continue: async (...continued) => {
      await gated.continue(...continued)
      return unavailable()
    },
  }))

  const first = await made.retry()

  expect(first).toEqual(failed(-32_000, expect.stringMatching(/^The gateway cannot reach its database.*is not known/)))
  expect(await made.retry()).toEqual(first)
  expect(made.server.runs()).toBe(1)
})
