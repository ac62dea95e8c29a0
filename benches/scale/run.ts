// Measures the cost of one ask in the store (cost.ts), and of extending audit logs (log-cost.ts): the figures of
// docs/background/scale.md.

import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { whole } from '../store/figures.ts'
import { costOfAsks } from './cost.ts'
import { costOfLogs } from './log-cost.ts'

const manyTenants = 64
const bars = { rowsMost: 9, keptBytesMost: 12_000 }

export const run: Measurement = async ({ quick }) => {
  const count = quick ? 1_000 : 20_000
  const ask = await costOfAsks(count, manyTenants)
  const oneTenant = await costOfAsks(count / 2, 1)
  const log = await costOfLogs(quick ? 128 : 2_000, quick ? 2_000 : 50_000)
  say(
    `an ask: ${ask.rows.toFixed(1)} rows, ${whole(ask.keptBytes)} bytes (audit ${whole(ask.auditBytes)}), ${whole(ask.logBytes)} bytes of log, ` +
      `${whole(ask.nodeUs)} µs here, ${whole(ask.databaseUs)} µs in the database; ${whole(ask.perSecond)}/s of ${manyTenants} tenants, ${whole(oneTenant.perSecond)}/s of one`,
  )
  say(
    `a log: ${whole(log.stepNodeUs)} µs here and ${whole(log.stepDatabaseUs)} µs in the database to add one entry, ${whole(log.stepLogBytes)} bytes; ${whole(log.entriesPerSecond)} entries/s at once`,
  )
  const goals: Goal[] = [
    { what: 'rows per ask', value: ask.rows, unit: '', most: bars.rowsMost },
    { what: 'stored per ask', value: ask.keptBytes, unit: 'bytes', most: bars.keptBytesMost },
  ]
  return {
    reached: goals.every(isMet),
    goals,
    figure: `scale: an ask costs ${ask.rows.toFixed(1)} rows, ${whole(ask.keptBytes)} bytes and ${whole(ask.nodeUs + ask.databaseUs)} µs`,
  }
}

function say(line: string): void {
  console.log(`scale: ${line}`)
}
