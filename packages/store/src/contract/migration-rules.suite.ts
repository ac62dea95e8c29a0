// What a migration may do so that an older version goes on beside it: add, and nothing that old statements could stumble over
// or that locks a table for long.

import { isOfIndexes, type Migration, statementsOf } from '../engine/migrations.ts'

/** Why each of its statements may not be; empty for a good one. */
export function problemsOf({ name, sql }: Pick<Migration, 'name' | 'sql'>): string[] {
  const statements = statementsOf(sql).map((one) => one.toLowerCase().replaceAll(/\s+/g, ' '))
  const created = statements.flatMap((one) => /^create table ([a-z_]+) \(/.exec(one)?.[1] ?? [])
  const problems = statements.flatMap((one) => {
    const problem = problemOf(one, created, isOfIndexes({ sql }))
    return problem === undefined ? [] : [`${name}: ${problem}: ${one.slice(0, 80)}`]
  })
  return statements.length === 0 ? [`${name}: it does nothing`] : problems
}

function problemOf(statement: string, created: readonly string[], isAlone: boolean): string | undefined {
  const index = /^create (unique )?index [a-z_]+ on ([a-z_]+) /.exec(statement)
  if (index !== null) {
    if (created.includes(index[2] ?? '')) return undefined
    if (index[1] !== undefined) return 'old statements may write what is not unique'
    return isAlone ? undefined : 'indexes of tables in use go into a file of their own, to be made beside the work'
  }
  if (/^create table [a-z_]+ \(/.test(statement)) return undefined
  if (/^create function /.test(statement)) return undefined
  if (/^alter table [a-z_]+ set \(/.test(statement)) return undefined
  if (/^insert into migrations \(name, digest\) values \('needs /.test(statement)) return undefined
  const added = /^alter table [a-z_]+ add column [a-z_]+ (text|bigint|integer)( .*)?$/.exec(statement)
  if (added === null) return 'only adding is known to be harmless'
  const rest = (added[2] ?? '').trim()
  if (rest === '' || /^(not null )?default ('[^']*'|-?\d+)$/.test(rest)) return undefined
  return 'a new column may be empty, or has a plain default'
}
