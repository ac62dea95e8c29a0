// How the steps of the SDK handle replies of the store, with the real store on SQLite.

import { answerMeta } from '@assent/core'
import { createAssent, type DurableStore, type Interaction, onSurface, type Surface, sdkLimits } from '@assent/sdk'
import type { Store } from '@assent/store'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestStore } from '../test-kit/store/open.ts'
import { callsOn, type Replies, withReplies } from './sdk-on-store.ts'

const tenant = 'acme'
let store: Store
let close: () => Promise<void>

beforeAll(async () => {
  ;({ store, close } = await openTestStore())
})
afterAll(() => close())

const replying = (replies: Replies) => withReplies(store, replies)
const callWith = (handler: (interaction: Interaction) => Promise<string>, durable: DurableStore = store) =>
  callsOn(durable, handler)

const sure = { action: 'accept', content: { confirmed: true } }
const stepping = (work: () => unknown) => async (interaction: Interaction) => {
  await interaction.ask.confirm('Sure?')
  return JSON.stringify(await interaction.step('work', work))
}

test('[SDK-20] a step runs once, and its result is the same however often its answer is sent', async () => {
  const work = vi.fn(() => ({ n: work.mock.calls.length }))
  const play = callWith(stepping(work))
  const retry = { state: (await play()).state, answers: { 'ask-1': sure } }
  for (let n = 0; n < 3; n++) expect((await play(retry)).text).toBe('{"n":1}')
  expect(work).toHaveBeenCalledTimes(1)
})

test('[SDK-33] results that together are too large for the state stay in the store, and are the same in every round', async () => {
  const work = vi.fn(({ key }: { key: string }) => key.repeat(200))
  const seen: string[] = []
  const play = callWith(async ({ ask, step }) => {
    const results: unknown[] = []
    for (let n = 0; n < 24; n++) results.push(await step(`big ${n}`, work))
    seen.push(JSON.stringify(results))
    return ask.text('Name?')
  })
  const { state } = await play()
  const answers = { 'ask-1': { action: 'accept', content: { text: 'Ada' } } }
  expect((await play({ state, answers })).text).toBe('Ada')
  expect(work).toHaveBeenCalledTimes(24)
  expect(seen[0]?.length).toBeGreaterThan(sdkLimits.journalChars)
  expect(seen[1]).toBe(seen[0])
})

test('[SDK-20] a step that has started and not finished is not started again, and the error has the start time', async () => {
  const work = vi.fn()
  const claim = async () => ({ kind: 'begun', atMs: Date.UTC(2026, 0, 2, 3, 4, 5) }) as const
  const play = callWith(stepping(work), replying({ steps: { claim } }))
  const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
  expect(code).toBe('step_unclear')
  expect(text).toContain(
    'The step "work" was begun at 2026-01-02T03:04:05.000Z and has not finished: it is running elsewhere, or its ' +
      'process died in the middle. It is not run again. Look at what it changes, then start a new call if it is needed.',
  )
  expect(work).not.toHaveBeenCalled()
})

test('[SDK-20] a step whose result could not be stored is unclear', async () => {
  const play = callWith(
    stepping(() => 1),
    replying({ steps: { finish: async () => false } }),
  )
  const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
  expect(code).toBe('step_unclear')
  expect(text).toContain('The step "work" was done, but its result could not be stored.')
})

test('[SDK-20] a step is claimed, finished and stored under its own name, in this call, by this process', async () => {
  const claim = vi.fn(store.steps.claim.bind(store.steps))
  const finish = vi.fn(store.steps.finish.bind(store.steps))
  const keep = vi.fn(store.steps.keep.bind(store.steps))
  const play = callWith(
    stepping(() => 'x'),
    replying({ steps: { claim, finish, keep } }),
  )
  await play({ state: (await play()).state, answers: { 'ask-1': sure } })
  const key = { tenant, callId: expect.stringMatching(/^call_/), owner: expect.any(String) }
  const keepMs = expect.any(Number)
  expect(claim).toHaveBeenCalledExactlyOnceWith({ ...key, name: 'step work', keepMs })
  const outcome = '{"kind":"done","result":"x"}'
  expect(finish).toHaveBeenCalledExactlyOnceWith({ ...key, name: 'step work', outcome })
  expect(keep).toHaveBeenCalledExactlyOnceWith({
    ...key,
    name: expect.stringMatching(/^answer [0-9a-f]{32} 1$/),
    keepMs,
    outcome: '["y",{"confirmed":true}]',
  })
})

test('[SDK-33] a result that is too large for the state stays in the store, and is the same in every round', async () => {
  const large = 'x'.repeat(170_000)
  const work = vi.fn(() => large)
  const play = callWith(async ({ ask, step }) => {
    const result = await step('large', work)
    await ask.confirm('Sure?')
    return String(result === large)
  })
  const first = await play()
  expect(first.state?.length).toBeLessThan(5_000)
  expect((await play({ state: first.state, answers: { 'ask-1': sure } })).text).toBe('true')
  expect(work).toHaveBeenCalledTimes(1)
})

test('[SDK-36] a step is not recorded in the store if the handler waits, because no state could bring its call back', async () => {
  const unused = () => Promise.reject(new Error('not used'))
  const { interactive } = createAssent({
    store: replying({ steps: { claim: unused, finish: unused, keep: unused } }),
  })
  const handler = interactive<[], unknown, unknown>(async ({ step }) => step('work', () => 'done'))
  const surface: Surface = { name: 'client', refuses: () => undefined, put: unused }
  expect(await handler(onSurface(surface))).toEqual({ content: [{ type: 'text', text: 'done' }] })
})

test('[SDK-20] the first answer counts, with its comment, whatever is sent later', async () => {
  const play = callWith(async ({ ask }) => ask.text('Name?'))
  const { state } = await play()
  const no = { action: 'decline', _meta: answerMeta({ comment: 'not mine' }) }
  const first = await play({ state, answers: { 'ask-1': no } })
  expect(first.text).toContain('They wrote: not mine')
  const later = { action: 'accept', content: { text: 'Ada' } }
  expect(await play({ state, answers: { 'ask-1': later } })).toEqual(first)
})

test('[SDK-20] an answer that was stored for one question is not used for another, whatever states are sent', async () => {
  const play = callWith(async ({ ask }) => {
    const confirmed = async () => {
      await ask.text('First?')
      return ask.confirm('Send the newsletter?')
    }
    const approved = async () => {
      await ask.text('Second?')
      return ask.approve('Delete the database', { name: 'main' })
    }
    return JSON.stringify(await Promise.all([confirmed(), approved()]))
  })
  const start = await play()
  const text = { action: 'accept', content: { text: 'x' } }
  // Two states of one call, in which the third question differs.
  const confirming = await play({ state: start.state, answers: { 'ask-1': text } })
  const approving = await play({ state: start.state, answers: { 'ask-2': text } })
  expect(confirming.questions['ask-3']?.message).toBe('Send the newsletter?')
  expect(approving.questions['ask-3']?.message).toContain('Delete the database')
  await play({ state: confirming.state, answers: { 'ask-3': sure } })
  const declined = await play({ state: approving.state, answers: { 'ask-1': text, 'ask-3': { action: 'decline' } } })
  const last = await play({ state: declined.state, answers: { 'ask-4': sure } })
  expect([declined, last].find(({ code }) => code !== undefined)).toMatchObject({
    code: 'declined',
    text: expect.stringContaining('Delete the database'),
  })
})
