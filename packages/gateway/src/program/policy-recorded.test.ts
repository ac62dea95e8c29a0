import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { newId } from '@assent/core'
import { openSqlite, type RecordedCall } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, asking, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const base = `store: sqlite:./assent.db
servers:
  deploy: { command: my-server }
asks: { surfaces: [client, inbox] }
`
const production = `  - name: production
    tools: [deploy/rollout]
    when: { env: production }
    ask: { from: requester }
`
const allowAll = '  - { name: everything else, tools: "*", allow: true }\n'

function aCall(changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    tenant: 'default',
    id: newId('record', Date.now(), randomBytes),
    principal: 'local',
    groups: [],
    server: 'deploy',
    method: 'tools/call',
    target: 'status',
    digest: 'none',
    outcome: 'ok',
    beganAtMs: Date.now(),
    ...changes,
  }
}

async function tested(calls: readonly RecordedCall[], policies: string, words: string[] = [], config = base) {
  const folder = await aFolder({ 'assent.yaml': `${config}policies:\n${policies}` })
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  await store.recordedCalls.write(calls)
  await store.close()
  return assentHere(['policy', 'test', '-c', join(folder, 'assent.yaml'), '--recorded', '7d', ...words])
}

const decided = { effect: 'allow', policies: ['everything else'] } as const

test('[POLICY-50] recorded calls whose decisions stay the same pass', async () => {
  const { code, out } = await tested([aCall(decided), aCall()], allowAll)
  expect(out).toBe(
    [
      'Evaluated 2 of 2 calls recorded in the last 7d.',
      'No decision would change.',
      'Calls that each policy decides, and how many it decided when they were recorded:',
      '  "everything else": allow 2, ask 0, deny 0 (recorded: 1)',
      '',
    ].join('\n'),
  )
  expect(code).toBe(0)
})

test('[POLICY-50] decisions that would change are counted by policy, with an example, and the exit code is 1', async () => {
  const noStatus = '  - { name: no status, tools: deploy/status, deny: true }\n'
  const calls = [aCall(decided), aCall(decided), aCall({ ...decided, target: 'other' }), aCall({ outcome: 'denied' })]
  const { code, out } = await tested(calls, `${noStatus}${allowAll}`)
  expect(code).toBe(1)
  expect(out).toContain('The decisions about 2 calls would change:\n')
  expect(out).toMatch(/ {2}allow → deny: 2 calls, now by "no status"; for example deploy\/status by local at 20\d\d-/)
  expect(out).toContain('  "no status": allow 0, ask 0, deny 3 (recorded: 0)\n')
  expect(out).toContain('  "everything else": allow 1, ask 0, deny 0 (recorded: 3)\n')
})

test('[POLICY-50] a call whose decision depends on something unknown is not evaluated, and counted with the reason', async () => {
  const rollout = { ...decided, target: 'rollout' }
  const calls = [
    aCall(decided),
    aCall(rollout),
    aCall({ ...rollout, arguments: '{"env":"x"}', hidden: ['/env'] }),
    aCall({ ...rollout, arguments: '{"env":"production"}' }),
  ]
  const { code, out } = await tested(calls, `${production}${allowAll}`)
  expect(out).toContain('Evaluated 1 of 4 calls recorded in the last 7d.\n')
  expect(out).toContain(
    '  not evaluated: 2 calls: needed by "production": arguments that were not recorded (record_arguments)',
  )
  expect(out).toContain(
    '  not evaluated: 1 call: needed by "production": the definition of the tool; --live reads it from the server\n',
  )
  expect(code).toBe(0)
})

test('[POLICY-50] with --live, recorded arguments are compared; a tool that is not listed any more is not', async () => {
  const live = base.replace('command: my-server', `command: ${process.execPath}, args: ["${asking}"]`)
  const policies = `  - name: careful
    tools: [deploy/ask]
    when: { env: production }
    deny: true
${allowAll}`
  const ask = { ...decided, target: 'ask' }
  const calls = [
    aCall({ ...ask, arguments: '{"env":"production"}' }),
    aCall({ ...ask, arguments: '{"env":"test"}' }),
    aCall({ ...decided, target: 'gone' }),
  ]
  const { code, out, err } = await tested(calls, policies, ['--live'], live)
  expect(err).toBe('')
  expect(out).toContain('Evaluated 2 of 3 calls')
  expect(out).toContain('not evaluated: 1 call: the server does not list the tool any more')
  expect(out).toContain('  allow → deny: 1 call, now by "careful"')
  expect(code).toBe(1)
})

test('[POLICY-50] without recorded calls, or if none can be evaluated, the exit code is 1', async () => {
  const none = await tested([], allowAll)
  expect(none).toMatchObject({ code: 1, out: '' })
  expect(none.err).toContain(
    'No calls were recorded in the last 7d. Set record: calls, and run this again when the gateway has recorded some.',
  )
  const unknown = await tested([aCall({ target: 'rollout' })], `${production}${allowAll}`)
  expect(unknown.code).toBe(1)
  expect(unknown.out).not.toContain('No decision would change.')
})

test('[POLICY-50] the command needs either cases or --recorded with a duration', async () => {
  const { code, err } = await tested([], allowAll, ['cases.yaml'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('Give either a file of test cases') })
  expect(await assentHere(['policy', 'test'])).toMatchObject({ code: 2, err: expect.stringContaining('--recorded 7d') })
  const folder = await aFolder({ 'assent.yaml': `${base}policies:\n${allowAll}` })
  const words = ['policy', 'test', '-c', join(folder, 'assent.yaml'), '--recorded', 'a week']
  expect(await assentHere(words)).toMatchObject({ code: 2, err: expect.stringContaining('not "a week"') })
})
