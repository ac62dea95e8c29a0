// The database of this proof: a private server that can be killed, with a copy of every checkpoint that was stored.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { saltedDigest } from '@assent/core'
import pg from 'pg'
import { makeHome, PostgresServer, serverPort } from '../../test-kit/postgres-server.ts'
import type { LoggedEntry } from './judge.ts'
import { tenant } from './writer.ts'

export const schema = 'assent'
const pageLength = 20_000

export class LogDatabase {
  readonly server: PostgresServer
  readonly #home: string
  kills = 0

  private constructor(home: string, server: PostgresServer) {
    this.#home = home
    this.server = server
  }

  static async start(name: string): Promise<LogDatabase> {
    const home = `${tmpdir()}/assent-log-${process.pid}-${name}`
    makeHome(home)
    const server = new PostgresServer(home, 'one', await serverPort())
    await server.init()
    server.configure({ waitsForStandby: false })
    await server.start()
    return new LogDatabase(home, server)
  }

  get url(): string {
    return this.server.url
  }

  /** Keeps each checkpoint in the transaction that stores it. */
  async keepCheckpoints(): Promise<void> {
    await this.run(`
      create table proof_checkpoints (number bigint generated always as identity, stored_at float8, checkpoint text);
      create function proof_keep() returns trigger language plpgsql as $$
      begin
        insert into ${schema}.proof_checkpoints (stored_at, checkpoint)
        values (extract(epoch from clock_timestamp()) * 1000, new.checkpoint);
        return new;
      end $$;
      create trigger proof_keep after update of checkpoint on log_heads for each row execute function proof_keep()`)
  }

  /** Plants a bug: the sequencer treats transactions that are still running as if it had read their entries. */
  async skipLateCommits(): Promise<void> {
    await this.run(`
      create function proof_skip() returns trigger language plpgsql as $$
      begin
        new.position = regexp_replace(new.position, '^[0-9]+:([0-9]+):[0-9,]+$', '\\1:\\1:');
        return new;
      end $$;
      create trigger proof_skip before update of position on log_heads for each row execute function proof_skip()`)
  }

  /** Kills the server with all its processes, as a power failure would, and starts it again. */
  async kill(): Promise<void> {
    this.kills += 1
    await this.server.kill('with all its children')
    await this.server.start()
  }

  /** An entry of a transaction that stays open for a while. Whether it was committed. */
  async commitLate(subject: string, openMs: number): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, options: `-c search_path=${schema}` })
    client.on('error', () => undefined)
    const salt = Buffer.alloc(16, subject)
    try {
      await client.connect()
      await client.query('begin')
      await client.query(
        `insert into audit_entries (tenant, at, kind, subject, counter, digest, salt, body)
         values ($1, (extract(epoch from clock_timestamp()) * 1000)::bigint, 'note', $2, 0, $3, $4, '{}')`,
        [tenant, subject, saltedDigest(salt, '{}'), salt.toString('hex')],
      )
      await sleep(openMs)
      await client.query('commit')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  /** The number of the last entry; undefined while the server does not answer. */
  async lastEntry(): Promise<number | undefined> {
    const sql = `select coalesce(max(id), 0)::float8 as last from ${schema}.audit_entries where tenant = '${tenant}'`
    const rows = await this.server.ask<{ last: number }>(sql).catch(() => undefined)
    return rows?.[0]?.last
  }

  async count(table: string): Promise<number> {
    const [row] = await this.server.ask<{ count: number }>(`select count(*)::float8 as count from ${schema}.${table}`)
    return row?.count ?? 0
  }

  /** Every checkpoint in the order in which it was stored, and when. */
  async checkpoints(): Promise<{ checkpoint: string; storedAtMs: number }[]> {
    return this.server.ask(
      `select checkpoint, stored_at as "storedAtMs" from ${schema}.proof_checkpoints order by number`,
    )
  }

  /** The log in order, with the time of each entry. */
  async entries(): Promise<(LoggedEntry & { readonly atMs: number })[]> {
    const all: (LoggedEntry & { readonly atMs: number })[] = []
    for (;;) {
      const page = await this.server.ask<LoggedEntry & { atMs: number }>(
        `select i.place::float8 as place, i.hash, i.entry_id::float8 as "entryId", e.subject, e.counter, e.at::float8 as "atMs"
         from ${schema}.log_index i left join ${schema}.audit_entries e on e.tenant = i.tenant and e.id = i.entry_id
         where i.tenant = $1 and i.place >= $2 order by i.place limit $3`,
        [tenant, (all.at(-1)?.place ?? -1) + 1, pageLength],
      )
      all.push(...page)
      if (page.length < pageLength) return all
    }
  }

  /** Notes that have a text. */
  async notes(condition: string): Promise<{ id: number; digest: string }[]> {
    return this.server.ask(
      `select id::float8 as id, digest from ${schema}.audit_entries where kind = 'note' and body is not null and ${condition}`,
    )
  }

  async run(sql: string): Promise<void> {
    await this.server.ask(`set search_path = ${schema}; ${sql}`)
  }

  async remove(): Promise<void> {
    await this.server.kill('with all its children')
    rmSync(this.#home, { recursive: true, force: true })
  }
}
