// `inbox.presence` with the built-in tools, as clients start them.

import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import { assent } from '../process.suite.ts'
import { aHome, openFor } from './windows.suite.ts'

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const plan = { planSummary: 'Add search\n\n1. index', phaseCount: 1 }
const calls = [
  ['request_plan_approval', plan],
  ['elicit_confirm', { question: 'Delete it?' }],
] as const

test('[PRESENCE-1] [PRESENCE-10] approvals of the built-in tools need a passkey, also in a window that does not set it', async () => {
  const home = await aHome()
  onTestFinished(() => home.close())
  const store = await home.store()
  const first = await home.window('2026-07-28', undefined, { ASSENT_INBOX_PRESENCE: 'approvals' })
  await until(async () => {
    return (await store.passkeys.recordedSetting(onlyTenant)) === 'approvals' ? true : undefined
  }, 60_000)
  const second = await home.window('2025-11-25')

  for (const window of [first, second]) {
    for (const [tool, args] of calls) {
      const calling = window.call(tool, args)
      calling.catch(() => undefined)
      const [ask] = await until(async () => {
        const open = await openFor(store)
        return open.length === 1 ? open : undefined
      }, 60_000)
      expect(ask?.needsPresence, tool).toBe(true)
      const answer = [
        'asks',
        'answer',
        ask?.id ?? '',
        '--accept',
        '--content',
        '{"decision":"approve","confirmed":true}',
      ]
      expect(await assent(answer, { folder: home.project, variables: home.variables })).toMatchObject({ code: 1 })
      expect(await openFor(store)).toHaveLength(1)
      await store.asks.withdraw(onlyTenant, ask?.id ?? '', 'caller-gone')
      await calling
    }
  }

  // Neither the window nor the command without the setting weakened it.
  expect(await store.passkeys.recordedSetting(onlyTenant)).toBe('approvals')
  expect(await store.passkeys.noticesSince({ tenant: onlyTenant, ...localPerson }, 0)).toEqual([])
})
