import type { RecordedCall } from '@assent/store'
import { expect, test, vi } from 'vitest'
import type { Call, Upstream } from '../model.ts'
import { CallRecorder } from './call-recorder.ts'
import { RecordWriter } from './record-writer.ts'

const callOf = (method = 'tools/call'): Call => ({
  tenant: 'default',
  principal: 'ann',
  scope: '',
  method,
  params: { name: 'rollout', arguments: {} },
  client: { info: { name: 'client', version: '1' }, declared: {}, capabilities: {} },
  notify: () => undefined,
  signal: new AbortController().signal,
})
const finished = { kind: 'finished', result: {} } as const

function aRecorder() {
  const rows: RecordedCall[] = []
  const settings = { isOn: true, keepsArguments: false }
  const write = async (calls: readonly RecordedCall[]) => void rows.push(...calls)
  const fail = (problem: unknown) => {
    throw new Error(`The writer reported ${problem}.`)
  }
  const writer = new RecordWriter({ write }, fail, fail)
  const recorder = new CallRecorder(
    writer,
    () => settings,
    () => 5,
  )
  const written = async () => {
    await writer.close()
    return rows
  }
  return { recorder, writer, settings, written }
}

/** A server that notes what it gets. */
function aServer(changes: Partial<Upstream> = {}) {
  const got: string[] = []
  const upstream: Upstream = {
    name: 'deploy',
    start: async ({ method }) => {
      got.push(`start ${method}`)
      return finished
    },
    continue: async ({ method, entry }) => {
      got.push(`continue ${method}${entry === undefined ? '' : ' with an entry'}`)
      return finished
    },
    describe: () => Promise.reject(new Error('not described')),
    listen: () => Promise.resolve(),
    leave: () => undefined,
    close: async () => void got.push('close'),
    ...changes,
  }
  return { upstream, got }
}

const unreachable = () => Promise.reject(new Error('The server does not start.'))

test('[RECORD-1] a call whose server cannot be opened is recorded as failed, and its error is passed on', async () => {
  const { recorder, written } = aRecorder()

  await expect(recorder.find(callOf(), 'deploy', unreachable)).rejects.toThrow('does not start')
  await expect(recorder.find(callOf('tools/list'), 'deploy', unreachable)).rejects.toThrow('does not start')

  expect(await written()).toMatchObject([{ server: 'deploy', target: 'rollout', outcome: 'failed', endedAtMs: 5 }])
})

test('[RECORD-1] a call that began while calls were recorded continues after a reload that ends it', async () => {
  const { recorder, settings, written } = aRecorder()
  const { upstream, got } = aServer()
  const above = recorder.over(upstream, (below) => below)
  settings.isOn = false

  expect(await above.continue(callOf(), { recorded: { id: 'record_1', atMs: 1 } }, {})).toEqual(finished)
  recorder.joined(callOf(), 'deploy', { id: 'record_2', atMs: 1 }, { id: 'record_1', outcome: 'ok' })

  expect(got).toEqual(['continue tools/call'])
  expect(await written()).toEqual([])
})

test('[RECORD-5] what a call keeps in memory counts for the limit, when it ends and while it waits for input', async () => {
  const { recorder, writer, written } = aRecorder()
  const later = vi.spyOn(writer, 'later')
  const waiting = { kind: 'input-required', wanted: {}, state: {} } as const
  const { upstream } = aServer({ continue: async () => waiting })
  const above = recorder.over(upstream, (below) => below)
  const call = { ...callOf(), params: { name: 'rollout', arguments: { text: 'x'.repeat(1_000) } } }

  await above.start(call)
  await above.continue(call, {}, {})

  expect(later.mock.calls.map(([, heldChars = 0]) => heldChars > 1_000)).toEqual([true, true])
  expect(await written()).toHaveLength(2)
})

test('[RECORD-1] a recorded server forwards notifications if it takes them, and is closed', async () => {
  const { recorder } = aRecorder()
  const notified: string[] = []
  const withSessions = aServer({ notify: (_, { method }) => void notified.push(method) })
  const without = aServer()
  const above = recorder.over(withSessions.upstream, (below) => below)

  above.notify?.(callOf(), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
  await above.close()

  expect(notified).toEqual(['notifications/roots/list_changed'])
  expect(withSessions.got).toEqual(['close'])
  expect(recorder.over(without.upstream, (below) => below).notify).toBeUndefined()
})
