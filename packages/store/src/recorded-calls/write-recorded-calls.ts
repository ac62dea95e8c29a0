import type { Statement } from '../engine/statement.ts'

/** `calls` is a JSON list of objects with a member per column. An id occurs once. */
export type WriteRecordedParams = { calls: string }

const texts = [
  'tenant',
  'id',
  'principal',
  'principal_groups',
  'agent',
  'client',
  'client_version',
  'address',
  'server',
  'method',
  'target',
  'digest',
  'arguments',
  'hidden',
  'effect',
  'policies',
  'ask_id',
  'outcome',
] as const
const times = ['began_at', 'ended_at'] as const
const columns = [...texts, ...times].join(', ')
const typed = [...texts.map((name) => `${name} text`), ...times.map((name) => `${name} bigint`)].join(', ')
const members = [...texts, ...times].map((name) => `value ->> '$.${name}'`).join(', ')

const changed = ['effect', 'policies', 'ask_id', 'outcome', 'ended_at', 'recorded_at']
const changes = changed.map((column) => `${column} = excluded.${column}`).join(', ')

/**
 * A group of calls in one statement: one round trip and one commit, however many they are. A call that has ended never
 * changes: a late write of its beginning is ignored.
 */
export const writeRecordedCalls: Statement<WriteRecordedParams, { id: string }> = {
  name: 'write_recorded_calls',
  result: 'only',
  parts: [
    {
      name: 'only',
      sql: `insert into recorded_calls (${columns}, recorded_at)
        select ${columns}, :now from json_to_recordset(cast(:calls as json))
          as c(${typed})
        on conflict (tenant, id) do update set ${changes} where recorded_calls.outcome is null returning id`,
      // "where true", because SQLite would otherwise read "on conflict" as the condition of a join.
      sqlite: `insert into recorded_calls (${columns}, recorded_at)
        select ${members}, :now from json_each(:calls) where true
        on conflict (tenant, id) do update set ${changes} where recorded_calls.outcome is null returning id`,
    },
  ],
}
