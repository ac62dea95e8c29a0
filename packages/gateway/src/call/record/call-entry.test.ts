import { expect, test } from 'vitest'
import type { Call, InputResponse } from '../model.ts'
import { expired, noAnswer } from '../screen/screen-questions.ts'
import { carriedEntry, OpenEntry } from './call-entry.ts'

const callOf = (changes: Partial<Call> = {}): Call => ({
  tenant: 'default',
  principal: 'ann',
  scope: '',
  method: 'tools/call',
  params: { name: 'ask', arguments: {} },
  client: { info: { name: 'client', version: '1' }, declared: {}, capabilities: {} },
  notify: () => undefined,
  signal: new AbortController().signal,
  ...changes,
})
const anEntry = (call = callOf(), state = {}, isStored = true) =>
  new OpenEntry(call, 'deploy', carriedEntry(state), 5, true, async () => isStored)
const refusal = { kind: 'finished', result: { content: [], isError: true } } as const
const answer = (action: string): InputResponse => ({ result: { action }, approval: { askId: 'ask_1' } })

test.each<[outcome: string, given: InputResponse]>([
  ['declined', answer('decline')],
  ['cancelled', answer('cancel')],
  ['expired', expired],
  ['cancelled', noAnswer],
  ['failed', { error: { code: -32_000, message: 'The answer cannot be read.' } }],
])('[RECORD-1] a call whose approval was not given is recorded as %s', (outcome, given) => {
  const entry = anEntry()
  entry.answered({ approval: given })
  expect(entry.outcomeOf(refusal)).toBe(outcome)
})

test('[RECORD-1] the outcome of a call that reached its server is that of the server', async () => {
  const entry = anEntry()
  await entry.mayForward()
  expect(entry.outcomeOf(refusal)).toBe('tool-error')
  expect(entry.outcomeOf({ kind: 'finished', result: {} })).toBe('ok')
  expect(entry.outcomeOf({ kind: 'failed', error: { code: 1, message: '' } })).toBe('failed')
  expect(entry.outcomeOf(undefined)).toBe('failed')
})

test('[RECORD-1] a call that its caller cancelled is recorded as such, unless it finished', async () => {
  const entry = anEntry(callOf({ signal: AbortSignal.abort() }))
  await entry.mayForward()
  expect(entry.outcomeOf({ kind: 'failed', error: { code: 1, message: '' } })).toBe('cancelled')
  expect(entry.outcomeOf({ kind: 'finished', result: {} })).toBe('ok')
})

test('[RECORD-3] a call that a policy decided may be sent only if its row is stored; another one always', async () => {
  expect(await anEntry(callOf(), {}, false).mayForward()).toBe(true)
  const decided = anEntry(callOf(), {}, false)
  decided.decided('allow', ['everything else'])
  expect(await decided.mayForward()).toBe(false)
  expect(decided.outcomeOf(refusal)).toBe('failed')
})

test('[RECORD-15] an entry is stored once; only a call that is sent has the outcome of its server', async () => {
  let commits = 0
  const entry = new OpenEntry(callOf(), 'deploy', undefined, 5, true, async () => ++commits > 1)
  entry.decided('ask', ['release'])

  expect(await entry.store()).toBe(false)
  expect(await entry.store()).toBe(true)
  expect(entry.outcomeOf({ kind: 'finished', result: {} })).toBe('failed')
  expect(await entry.mayForward()).toBe(true)
  expect(entry.outcomeOf({ kind: 'finished', result: {} })).toBe('ok')
  expect(commits).toBe(2)
})

test('[RECORD-1] a later request completes the same row, with the decision that asked', () => {
  const first = anEntry()
  first.decided('ask', ['release'])
  const state = first.carriedIn({ policy: {} })
  const later = anEntry(callOf(), state as object)
  later.answered({ approval: answer('accept') })
  later.decided('allow', ['everything else'])

  const { id, beganAtMs } = first.draft()
  expect(later.draft({ outcome: 'ok', atMs: 9 })).toMatchObject({
    id,
    beganAtMs,
    effect: 'ask',
    policies: ['release'],
    askId: 'ask_1',
    outcome: 'ok',
    endedAtMs: 9,
  })
})

test('[RECORD-1] a call that no policy decided is carried without a decision; a state that is not an object is unchanged', () => {
  const entry = anEntry()
  const { id, beganAtMs: atMs } = entry.draft()
  expect(entry.carriedIn({ session: 'a' })).toEqual({ session: 'a', recorded: { id, atMs } })
  expect(entry.carriedIn('a')).toBe('a')
  expect(carriedEntry('a')).toBeUndefined()
})

test('[RECORD-1] a call without a name is recorded without a target', () => {
  expect(anEntry(callOf({ params: {} })).draft().target).toBe('')
})

test('[RECORD-1] texts that a database cannot store, or that are too long, are cleaned', () => {
  const info = { name: `a\0${'\ud800'}`, version: 'x'.repeat(9_999) }
  const client = { info, declared: {}, capabilities: {} }
  const groups = Array.from({ length: 999 }, () => 'g\0')
  const params = { name: `t\0${'x'.repeat(9_999)}`, arguments: { lone: '\ud800' } }
  const row = anEntry(callOf({ client, groups, params, address: '203.0.113.7' })).draft()
  expect(row).toMatchObject({ client: 'a\uFFFD\uFFFD', digest: 'none', address: '203.0.113.7' })
  expect(row.arguments).toBe('{"lone":"\\ud800"}')
  expect(row.groups).toHaveLength(200)
  expect(row.groups[0]).toBe('g\uFFFD')
  expect(row.target.length).toBe(2_048)
  expect(row.clientVersion?.length).toBe(256)
})

test('[RECORD-14] the address of a resource is recorded without its secrets, and only then cut', () => {
  const uri = `https://ann:hunter2@files.example/${'x'.repeat(1_990)}?password=hunter2`
  const { target } = anEntry(callOf({ method: 'resources/read', params: { uri } })).draft()
  expect(target).toContain('files.example')
  expect(target).not.toContain('hunter2')
  expect(target.length).toBeLessThanOrEqual(2_048)
  // The beginning of a token alone does not look like a secret.
  const long = `notes://${'x'.repeat(2_020)}/ghp_${'a1B2'.repeat(9)}`
  expect(anEntry(callOf({ method: 'resources/read', params: { uri: long } })).draft().target).not.toContain('ghp_')
})

test('[RECORD-5] an entry knows how much of its call it keeps in memory', () => {
  const small = anEntry(callOf({ params: { name: 'ask' } })).heldChars
  const params = { name: 'ask', arguments: { list: ['x'.repeat(1_000), { text: 'y'.repeat(500) }, 1, null] } }
  expect(small).toBeLessThan(20)
  expect(anEntry(callOf({ params })).heldChars).toBeGreaterThan(1_500)
})
