// `assent migrate`: brings the tables of a PostgreSQL store up to date, as the role that owns them, and grants the role of the
// gateways what they need.

import type { Command } from 'commander'
import type { Config } from '../config/settings.ts'
import { storeAddress } from '../config/special-kinds.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

interface MigrateWords {
  readonly config?: string
  readonly store?: string
  readonly grants?: string
  readonly print?: true
}

/** The schema that gateways use. */
const schema = 'assent'

export function addMigrateCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('migrate')
    .summary('bring the tables of a PostgreSQL store up to date')
    .option(...gatewayConfigOption)
    .option('--store <address>', 'the store, in place of the one in the configuration: postgres://owner@host/database')
    .option('--grants <role>', 'also grant this role what a gateway needs, and revoke everything else')
    .option('--print', 'with --grants: only print the SQL')
    .description(
      'Applies the migrations that a database lacks, while gateways work on it. It needs a role that may create tables, and a connection to the database itself: not through a connection pooler. Gateways that use another role then need no right to change tables, nor to change or delete entries of the audit log.\n\nA password is read from PGPASSWORD, or from where libpq keeps it, when the address has none. A gateway whose role may create tables applies missing migrations by itself when it starts; SQLite is brought up to date by whatever opens it.',
    )
    .addHelpText(
      'after',
      `
As the owner, before a new version is started:
  assent migrate --store postgres://assent_owner@db.internal/assent --grants assent`,
    )
    .action(async (options: MigrateWords) => {
      const done = (words: string) => terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
      const fail = (code: ExitCode, words: string) => {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        end(code)
      }
      if (options.print === true && options.grants === undefined) {
        return fail(exitCodes.usage, 'Give the role whose grants to print: --grants <role>')
      }
      const { grantsFor, migratePostgres } = await import('@assent/store')
      if (options.print === true) {
        for (const statement of grantsFor(schema, options.grants ?? '')) terminal.out(`${statement};`)
        return
      }
      const store = placeOf(options, terminal)
      if (store === undefined) return end(exitCodes.problem)
      if (store.engine === 'sqlite') {
        return done('Nothing to do: a SQLite store is brought up to date by whatever opens it.')
      }
      const { grants } = options
      try {
        const { applied } = await migratePostgres(store.url, {
          schema,
          ...(grants === undefined ? {} : { grantTo: grants }),
        })
        const granted = grants === undefined ? '' : ` ${grants} has the rights that a gateway needs, and no others.`
        const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
        done(applied.length === 0 ? `Up to date: nothing to apply.${granted}` : `Applied ${count}.${granted}`)
      } catch (error) {
        fail(exitCodes.cannotRun, error instanceof Error ? error.message : String(error))
      }
    })
}

/** Undefined, and reported, where neither the option nor the configuration names one. */
function placeOf({ config, store }: MigrateWords, terminal: Terminal): Config['store'] | undefined {
  if (store === undefined) return loadOrExplain(config, terminal)?.config.store
  const read = storeAddress.read(store)
  if (read.ok) return read.value
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} --store ${read.problem}.`)
  return undefined
}
