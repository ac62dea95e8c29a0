// `assent inbox link`: a way into the web inbox for the person at this terminal.
//
// Whoever may read the configuration and open its store may sign in as the local person; that is whose machine it is.

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { inboxFile, keptOrigin } from '../alone/shared-inbox.ts'
import { aloneConfig } from '../config/alone-config.ts'
import { homeFolder } from '../config/home.ts'
import { addressText } from '../config/kinds.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { inboxLimits } from '../limits.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { sayFindings } from './config-commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

const usualFile = 'assent.yaml'
const minutes = inboxLimits.linkMs / 60_000

export function addInboxLink(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('link')
    .summary('a link that signs you in to the web inbox')
    .option(
      '-c, --config <file>',
      `the gateway's configuration; ${usualFile} if it is here, else the inbox of this user`,
    )
    .description(
      `Prints a link that signs you in to the web inbox: of a gateway with this configuration, or of the programs that your agents start. It works once, within ${minutes} minutes; any gateway on the same store takes it, also one that is started later.`,
    )
    .action(async ({ config: file }: { config?: string }) => {
      const fail = (code: ExitCode, words: string) => {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        end(code)
      }
      const isAlone = file === undefined && !existsSync(usualFile)
      const { variables } = terminal
      const loaded = isAlone ? aloneConfig(variables) : loadConfig(file ?? usualFile, variables)
      if (!loaded.ok) {
        sayFindings(isAlone ? 'environment' : (file ?? usualFile), loaded, terminal)
        return end(exitCodes.problem)
      }
      const reason = whyNoLink(loaded.config)
      if (reason !== undefined) return fail(exitCodes.problem, reason)
      try {
        const link = await newLink(
          loaded.config,
          isAlone ? keptOrigin(inboxFile(homeFolder(variables))) : undefined,
          terminal,
        )
        if (link === undefined) {
          return fail(exitCodes.cannotRun, `Too many links are unused. Use one of them, or wait ${minutes} minutes.`)
        }
        // By itself on standard output, so that `open "$(assent inbox link)"` works.
        terminal.out(link)
        terminal.err(`The link works once, within ${minutes} minutes.`)
        end(exitCodes.ok)
      } catch (error) {
        fail(exitCodes.cannotRun, error instanceof Error ? error.message : String(error))
      }
    })
}

/** Why a link would lead nowhere, or nothing. */
function whyNoLink({ asks, identity, inbox, listen }: Config): string | undefined {
  if (!asks.surfaces.includes('inbox')) {
    return 'This configuration has no inbox. Write: asks: { surfaces: [client, inbox] }'
  }
  if (identity !== undefined) return `With identity people sign in with their own account, at ${inbox.url?.href}`
  if (inbox.url === undefined && listen.port === 0) {
    return 'The gateway listens on any free port, so nobody knows where its inbox will be. Give listen a port.'
  }
  return undefined
}

/** @param lastAt where the inbox was last opened, if that is kept anywhere */
async function newLink(
  config: Config,
  lastAt: string | undefined,
  { variables, err }: Terminal,
): Promise<string | undefined> {
  // Only now: whoever asks for help need not wait for a database driver.
  const [{ openState }, { linkWith, SignIn }] = await Promise.all([
    import('../config/state.ts'),
    import('../inbox/sign-in.ts'),
  ])
  const { store } = await openState(config, variables, (error) => err(String(error)))
  try {
    const code = await new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs }).invite(localPerson)
    const base = config.inbox.url ?? new URL(lastAt ?? `http://${addressText(config.listen)}`)
    return code === undefined ? undefined : linkWith(code, base)
  } finally {
    await store.close()
  }
}
