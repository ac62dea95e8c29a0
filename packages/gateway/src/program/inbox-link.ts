// `assent inbox link`: prints a sign-in link to the web inbox for the person at this terminal.
//
// A user who can read the configuration and open its store may sign in as the local person: it is their machine.

import { existsSync } from 'node:fs'
import { homeFolder } from '@assent/tools/home'
import type { Command } from 'commander'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { standaloneConfig } from '../config/standalone-config.ts'
import { expectedOrigin } from '../http/listen.ts'
import { inboxLimits } from '../inbox/limits.ts'
import { standaloneLimits } from '../limits.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings } from './findings.ts'
import { inboxFile, keptOrigin } from './standalone/shared-inbox.ts'
import { type Terminal, toned } from './terminal.ts'

const usualFile = 'assent.yaml'
const minutes = inboxLimits.linkMs / 60_000

export function addInboxLink(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('link')
    .summary('print a link that signs you in to the web inbox')
    .option(
      '-c, --config <file>',
      `the gateway's configuration; ${usualFile} if it is here, else the inbox of this user`,
    )
    .description(
      `Prints a link that signs you in to the web inbox: of the gateway with this configuration, or of the programs that your agents start. It works once, within ${minutes} minutes. On this machine it is valid for the process that serves the inbox now, which first has to prove its identity; over https every gateway on the same store accepts it.`,
    )
    .action(async ({ config: file }: { config?: string }) => {
      const fail = (code: ExitCode, words: string) => {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        end(code)
      }
      const isStandalone = file === undefined && !existsSync(usualFile)
      const { variables } = terminal
      const loaded = isStandalone ? standaloneConfig(variables) : loadConfig(file ?? usualFile, variables)
      if (!loaded.ok) {
        printFindings(isStandalone ? 'environment' : (file ?? usualFile), loaded, terminal)
        return end(exitCodes.problem)
      }
      const reason = whyNoLink(loaded.config)
      if (reason !== undefined) return fail(exitCodes.problem, reason)
      try {
        const link = await newLink(
          loaded.config,
          isStandalone ? keptOrigin(inboxFile(homeFolder(variables))) : undefined,
          terminal,
        )
        if (link === undefined) {
          return fail(exitCodes.cannotRun, `Too many links are unused. Use one of them, or wait ${minutes} minutes.`)
        }
        // Only the link on standard output, so that `open "$(assent inbox link)"` works.
        terminal.out(link)
        terminal.err(`The link works once, within ${minutes} minutes.`)
        end(exitCodes.ok)
      } catch (error) {
        fail(exitCodes.cannotRun, error instanceof Error ? error.message : String(error))
      }
    })
}

/** Why a link would not work; undefined if it would. */
function whyNoLink({ asks, identity, inbox, listen }: Config): string | undefined {
  if (!asks.surfaces.includes('inbox')) {
    return 'This configuration has no inbox. Write: asks: { surfaces: [client, inbox] }'
  }
  if (identity !== undefined) return `With identity people sign in with their own account, at ${inbox.url?.href}`
  if (inbox.url === undefined && listen.port === 0) {
    return 'The gateway listens on a random port, so the address of its inbox is unknown. Set a port in listen.'
  }
  return undefined
}

function notFoundText({ origin }: URL): string {
  return `No inbox found at ${origin}: nothing listens there, or the program there could not prove that it is your Assent. Start a gateway with this configuration, or an agent that uses Assent, and try again.`
}

/** @param lastAt the stored origin where the inbox was last opened, if any */
async function newLink(
  config: Config,
  lastAt: string | undefined,
  { variables, err }: Terminal,
): Promise<string | undefined> {
  // Loaded here so that `--help` does not load a database driver.
  const [{ openState }, { linkWith, SignIn }, { askListener, listenerKey }] = await Promise.all([
    import('./state.ts'),
    import('../inbox/sign-in.ts'),
    import('../inbox/listener-proof.ts'),
  ])
  const { store, sealKeys } = await openState(config, variables, { onError: (error) => err(String(error)) })
  try {
    const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
    const base = config.inbox.url ?? new URL(lastAt ?? expectedOrigin(config.listen))
    // Over https the certificate authenticates the server.
    if (base.protocol === 'https:') {
      const code = await signIn.invite(localPerson)
      return code === undefined ? undefined : linkWith(code, base)
    }
    const keys = sealKeys.map(({ secret }) => listenerKey(secret))
    const listener = await askListener(base, keys, AbortSignal.timeout(standaloneLimits.inboxReplyMs))
    if (listener === undefined) throw new Error(notFoundText(base))
    const code = await signIn.invite(localPerson, listener.instance)
    return code === undefined ? undefined : linkWith(code, new URL(listener.origin))
  } finally {
    await store.close()
  }
}
