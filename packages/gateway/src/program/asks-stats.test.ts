import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { actionDigest, newId, soleApprover, toolDefinitionDigest } from '@assent/core'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

async function aHistory(approvals: number) {
  const folder = await aFolder({
    'assent.yaml': 'store: sqlite:./assent.db\nservers: { deploy: { command: my-server } }\n',
  })
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout' }),
    arguments: {},
  }
  for (let n = 0; n < approvals; n++) {
    const { id } = await store.asks.raise({
      tenant: 'default',
      id: newId('ask', Date.now(), randomBytes),
      asker: { server: 'deploy', tool: 'rollout' },
      principal: 'local',
      question: { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action), policies: ['production'] },
      approvalRule: soleApprover('local'),
      decideWithinMs: 60_000,
      useWithinMs: 60_000,
    })
    const person = { principal: 'local', groups: [] }
    await store.asks.answer({ tenant: 'default', id, person, via: 'inbox', answer: { action: 'accept' } })
  }
  await store.close()
  return (...words: string[]) => assentHere(['asks', 'stats', '-c', join(folder, 'assent.yaml'), ...words])
}

test('[RECORD-11] `asks stats` prints the figures, and a policy that approvers do not read', async () => {
  const stats = await aHistory(5)
  const { code, out } = await stats()
  expect(code).toBe(0)
  expect(out).toBe(
    [
      '5 asks ended: 5 with a yes, 0 with a no, half of the answers within 1s.',
      'By policy:',
      '  production: 5 of 5 approved, half of the answers within 1s',
      '    every ask was approved within two seconds, which is too fast to read it',
      'By tool:',
      '  deploy/rollout: 5 of 5 approved, half of the answers within 1s',
      'By person:',
      '  You: 5 of 5 approved, half of the answers within 1s',
      '',
    ].join('\n'),
  )
  const json = await stats('--json', '--days', '7')
  expect(JSON.parse(json.out)).toMatchObject({ counted: 5, policies: [{ policy: 'production', isRubberStamp: true }] })
})

test('[RECORD-10] `asks stats` without asks, and with an invalid period', async () => {
  const stats = await aHistory(0)
  expect(await stats('--days', '7')).toMatchObject({ code: 0, out: 'No ask ended in the last 7 days.\n' })
  expect(await stats('--days', '0')).toMatchObject({ code: 2, err: expect.stringContaining('--days must be') })
})
