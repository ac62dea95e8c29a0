// The rules for migrations, so that an older version keeps working beside a newer one: they only add, break no older statement,
// and lock no table for long. One that declares that older versions cannot work with it may drop tables and functions, and add
// constraints for new rows.

import { type Migration, onlyCreatesIndexes, statementsOf } from '../engine/migrations.ts'

/** The problems of a migration; empty if it follows the rules. */
export function problemsOf({ name, sql }: Pick<Migration, 'name' | 'sql'>): string[] {
  const statements = statementsOf(sql).map((one) => one.toLowerCase().replaceAll(/\s+/g, ' '))
  const isNeeded = (one: string) => one === `insert into migrations (name, digest) values ('needs ${name}', '')`
  const created = statements.flatMap((one) => /^create table ([a-z_]+) \(/.exec(one)?.[1] ?? [])
  const problems = statements.flatMap((one) => {
    const mayBreakOlder =
      /^drop (table|function) [a-z0-9_]+( ?\([a-z, ]*\))?$/.test(one) ||
      /^alter table [a-z_]+ add constraint [a-z_]+ check \(.*\) not valid$/.test(one)
    if (mayBreakOlder && statements.some(isNeeded)) return []
    const problem = problemOf(one, created, onlyCreatesIndexes({ sql }))
    return problem === undefined ? [] : [`${name}: ${problem}: ${one.slice(0, 80)}`]
  })
  return statements.length === 0 ? [`${name}: it has no statements`] : problems
}

function problemOf(statement: string, created: readonly string[], onlyIndexes: boolean): string | undefined {
  const index = /^create (unique )?index [a-z_]+ on ([a-z_]+) /.exec(statement)
  if (index !== null) {
    if (created.includes(index[2] ?? '')) return undefined
    if (index[1] !== undefined) return 'older statements may insert rows that violate a new unique index'
    return onlyIndexes
      ? undefined
      : 'indexes of existing tables need a separate file, so that they are built concurrently'
  }
  if (/^create table [a-z_]+ \(/.test(statement)) return undefined
  if (/^create function /.test(statement)) return undefined
  if (/^alter table [a-z_]+ set \(/.test(statement)) return undefined
  if (/^insert into migrations \(name, digest\) values \('needs /.test(statement)) return undefined
  const added = /^alter table [a-z_]+ add column [a-z_]+ (text|bigint|integer)( .*)?$/.exec(statement)
  if (added === null) return 'not a statement that only adds'
  const rest = (added[2] ?? '').trim()
  if (rest === '' || /^(not null )?default ('[^']*'|-?\d+)$/.test(rest)) return undefined
  return 'a new column must be nullable or have a constant default'
}
