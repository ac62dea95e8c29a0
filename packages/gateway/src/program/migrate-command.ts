// `assent migrate`: migrates the tables of a PostgreSQL store as the role that owns them, and grants the gateways' role
// the privileges it needs.

import { compact } from '@assent/core'
import type { Command } from 'commander'
import type { Config } from '../config/settings.ts'
import { storeAddress } from '../config/special-kinds.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'
import { migrateText as help } from './text/help.ts'

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
    .summary(help.summary)
    .option(...gatewayConfigOption)
    .option('--store <address>', help.store)
    .option('--grants <role>', help.grants)
    .option('--print', help.print)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async (options: MigrateOptions) => {
      const done = (words: string) => terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
      const fail = (code: ExitCode, words: string) => {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        end(code)
      }
      if (options.print === true && options.grants === undefined) {
        return fail(exitCodes.usage, help.roleMissing)
      }
      const { grantsFor, migratePostgres } = await import('@assent/store')
      if (options.print === true) {
        for (const statement of grantsFor(schema, options.grants ?? '')) terminal.out(`${statement};`)
        return
      }
      const store = placeOf(options, terminal)
      if (store === undefined) return end(exitCodes.problem)
      if (store.engine === 'sqlite') {
        return done(help.sqlite)
      }
      const { grants } = options
      try {
        const { applied } = await migratePostgres(store.url, {
          schema,
          ...compact({ grantTo: grants }),
        })
        const granted = grants === undefined ? '' : help.granted(grants)
        done(applied.length === 0 ? help.upToDate(granted) : help.applied(applied.length, granted))
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
  terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${help.invalidStore(read.problem)}`)
  return undefined
}
