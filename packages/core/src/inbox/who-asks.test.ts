// Who asks, in one line.

import { expect, test } from 'vitest'
import { askerName, callerText, whoAsks, whoAsksInFull } from './who-asks.ts'

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

test('[INBOX-21] in full, a server has the program that called it, and other people are named', () => {
  const caller = { client: 'Claude Code', folder: 'notes', branch: 'main' }
  const you = { isYou: true, name: 'Ann' }
  const ben = { isYou: false, name: 'Ben Okafor' }
  const deploy = { server: 'deploy', tool: 'rollout' }

  expect(whoAsksInFull({ asker: agent, caller, onBehalfOf: you })).toBe('Claude Code in notes (main)')
  expect(whoAsksInFull({ asker: agent, onBehalfOf: ben })).toBe('Your agent, for Ben Okafor')
  expect(whoAsksInFull({ asker: deploy, onBehalfOf: you })).toBe('deploy · rollout')
  expect(whoAsksInFull({ asker: deploy, caller, onBehalfOf: ben })).toBe(
    'deploy · rollout, called by Claude Code in notes (main), for Ben Okafor',
  )
  expect(askerName({ asker: agent, caller })).toBe('Claude Code')
  expect(askerName({ asker: agent })).toBe('Your agent')
  expect(askerName({ asker: deploy, caller })).toBe('deploy')
})
