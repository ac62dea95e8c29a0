// Databases and schemas on the PostgreSQL server of the tests, dropped when they are closed.

import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** An existing database. Tests create schemas in it, or other databases on the same server. */
export const postgresUrl: string = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

/** For a proxy in front of it. */
export const postgresPort = Number(new URL(postgresUrl).port || 5432)

export type Row = Readonly<Record<string, unknown>>

export interface TestDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

export interface TestSchema {
  readonly url: string
  readonly schema: string
  /** Runs SQL in the schema without going through the store. */
  query<R extends pg.QueryResultRow = Row>(sql: string): Promise<R[]>
  drop(): Promise<void>
}

async function runSql(sql: string, url: string = postgresUrl): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

export async function createDatabase(): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => runSql(`drop database if exists ${name} with (force)`) }
}

/** The name of a schema that does not exist yet: the store creates it. */
export async function newSchema(types?: pg.CustomTypesConfig, url: string = postgresUrl): Promise<TestSchema> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({
    connectionString: url,
    options: `-c search_path=${schema}`,
    ...(types === undefined ? {} : { types }),
  })
  await client.connect()
  return {
    url,
    schema,
    query: async <R extends pg.QueryResultRow>(sql: string) => (await client.query<R>(sql)).rows,
    drop: async () => {
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}
