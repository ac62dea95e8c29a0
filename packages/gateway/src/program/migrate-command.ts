// `assent migrate`: migrates the tables of a PostgreSQL store as the role that owns them, and grants the gateways' role
// the privileges it needs.

import { compact } from '@assent/core'
import type { Command } from 'commander'
import type { Config } from '../config/settings.ts'
import { storeAddress } from '../config/special-kinds.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

interface MigrateOptions {
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
    .summary('migrate the tables of a PostgreSQL store')
    .option(...gatewayConfigOption)
    .option('--store <address>', 'the store, in place of the one in the configuration: postgres://owner@host/database')
    .option('--grants <role>', 'also grant this role what a gateway needs, and revoke everything else')
    .option('--print', 'with --grants: only print the SQL')
    .description(
      'Applies missing migrations, also while gateways run. It needs a role that may create tables, and a direct connection to the database, without a connection pooler. Gateways that use another role then need no right to change tables, nor to change or delete entries of the audit log.\n\nA password is read from PGPASSWORD, or from the password file of libpq, if the address has none. A gateway whose role may create tables applies missing migrations when it starts; a SQLite store is migrated when it is opened.',
    )
    .addHelpText(
      'after',
      `
As the owner, before a new version is started:
  assent migrate --store postgres://assent_owner@db.internal/assent --grants assent`,
    )
    .action(async (options: MigrateOptions) => {
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
        return done('Nothing to do: a SQLite store is migrated when it is opened.')
      }
      const { grants } = options
      try {
        const { applied } = await migratePostgres(store.url, {
          schema,
          ...compact({ grantTo: grants }),
        })
        const granted = grants === undefined ? '' : ` ${grants} has the rights that a gateway needs, and no others.`
        const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
        done(applied.length === 0 ? `Up to date: nothing to apply.${granted}` : `Applied ${count}.${granted}`)
      } catch (error) {
        fail(exitCodes.cannotRun, error instanceof Error ? error.message : String(error))
      }
    })
}

/** Undefined, after an error message, if neither the option nor the configuration names a store. */
function placeOf({ config, store }: MigrateOptions, terminal: Terminal): Config['store'] | undefined {
  if (store === undefined) return loadOrExplain(config, terminal)?.config.store
  const read = storeAddress.read(store)
  if (read.ok) return read.value
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} --store ${read.problem}.`)
  return undefined
}
