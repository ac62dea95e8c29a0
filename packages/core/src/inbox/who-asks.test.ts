// Who asks, in one line.

import { expect, test } from 'vitest'
import { callerText, whoAsks } from './who-asks.ts'

const agent = { server: 'Your agent', tool: 'elicit_confirm', isAgent: true } as const

test('[INBOX-21] an agent is shown with its folder and branch, a server with its tool', () => {
  const caller = { client: 'Claude Code', folder: 'notes', branch: 'main' }

  expect(whoAsks({ asker: agent, caller })).toBe('Claude Code in notes (main)')
  expect(whoAsks({ asker: agent, caller: { folder: 'notes' } })).toBe('Your agent in notes')
  expect(whoAsks({ asker: agent })).toBe('Your agent')
  expect(whoAsks({ asker: { server: 'deploy', tool: 'rollout' }, caller })).toBe('deploy · rollout')
  expect(whoAsks({ asker: { server: 'deploy', tool: 'deploy' } })).toBe('deploy')
  expect(callerText({})).toBe('')
})
