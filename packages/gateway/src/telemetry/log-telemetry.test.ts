import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { logTelemetry } from './log-telemetry.ts'
import { Metrics } from './metrics.ts'

test('[WATCH-4] the end of a question is logged with how it was answered', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', redact: () => (text) => text, write: (line) => lines.push(line) })
  logTelemetry(new Metrics('1.0.0'), log).ended('deploy', 'accepted', 69.4, 'approved')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { server: 'deploy', end: 'accepted', outcome: 'approved', waitedMs: 69, msg: 'Question ended.' },
  ])
})
