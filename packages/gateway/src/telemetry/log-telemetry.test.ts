import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { logTelemetry } from './log-telemetry.ts'
import { Metrics } from './metrics.ts'

test('[WATCH-4] the end of a question is logged with its tool, caller and ask, and how it was answered', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', redact: () => (text) => text, write: (line) => lines.push(line) })
  logTelemetry(new Metrics('1.0.0'), log).ended('deploy', 'accepted', 69.4, {
    answer: 'approved',
    tool: 'rollout',
    caller: 'ann',
    ask: 'ask_1',
  })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      server: 'deploy',
      tool: 'rollout',
      caller: 'ann',
      ask: 'ask_1',
      end: 'accepted',
      outcome: 'approved',
      waitedMs: 69,
      msg: 'Question ended.',
    },
  ])
})

test('[WATCH-4] what a client declares is logged: at info for a session, at debug for a client that asks before each call', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', redact: () => (text) => text, write: (line) => lines.push(line) })
  const metrics = new Metrics('1.0.0')
  const { connected } = logTelemetry(metrics, log)
  const declared = { forms: true, links: false, sampling: false, roots: true }

  connected({ client: 'Claude Code', isSession: true, ...declared })
  connected({ client: undefined, isSession: true, ...declared, forms: false })
  connected({ client: 'Codex', isSession: false, ...declared })
  log.level('debug')
  connected({ client: 'Codex', isSession: false, ...declared })

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', client: 'Claude Code', ...declared, msg: expect.stringContaining('A client connected') },
    { level: 'info', client: 'another client', forms: false },
    { level: 'debug', client: 'Codex' },
  ])
  expect(metrics.text()).toContain('assent_clients_connected_total{client="Codex",forms="yes"} 2')
  expect(metrics.text()).toContain('assent_clients_connected_total{client="another client",forms="no"} 1')
})

test('[PIN-13] a changed definition is a warning with what can be done about it, and is counted', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', redact: () => (text) => text, write: (line) => lines.push(line) })
  const metrics = new Metrics('1.0.0')
  const { definitionChanged } = logTelemetry(metrics, log)

  definitionChanged('deploy', 'rollout', 'asked')
  definitionChanged('deploy', 'rollout', 'no-owners')
  definitionChanged('deploy', 'rollout', 'not-shown')

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      server: 'deploy',
      tool: 'rollout',
      msg: expect.stringContaining('accepts the new definition in the inbox'),
    },
    { msg: expect.stringContaining('set policies.owners') },
    { msg: expect.stringContaining('cannot be accepted') },
  ])
  expect(metrics.text()).toContain('assent_definition_changes_total{server="deploy"} 3')
})
