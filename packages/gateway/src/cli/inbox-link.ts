// `assent inbox link`: a way into the web inbox for the person at this terminal.
//
// Whoever may read the configuration and open its store may sign in as the local person; that is whose machine it is.

import { existsSync } from 'node:fs'
import { homeFolder } from '@assent/tools/home'
import type { Command } from 'commander'
import { inboxFile, keptOrigin } from '../alone/shared-inbox.ts'
import { aloneConfig } from '../config/alone-config.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { expectedOrigin } from '../door/listen.ts'
import { aloneLimits, inboxLimits } from '../limits.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { sayFindings } from './findings.ts'
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
      `Prints a link that signs you in to the web inbox: of a gateway with this configuration, or of the programs that your agents start. It works once, within ${minutes} minutes. On this machine it is for the process that serves the inbox now, which has to prove first that it is yours; over https any gateway on the same store takes it.`,
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

function notThere({ origin }: URL): string {
  return `No inbox of yours answers at ${origin}: nobody listens there, or a program that could not prove that it is your Assent. Start a gateway with this configuration, or an agent that uses Assent, and try again.`
}

/** @param lastAt where the inbox was last opened, if that is kept anywhere */
async function newLink(
  config: Config,
  lastAt: string | undefined,
  { variables, err }: Terminal,
): Promise<string | undefined> {
  // Only now: whoever asks for help need not wait for a database driver.
  const [{ openState }, { linkWith, SignIn }, { askListener, listenerKey }] = await Promise.all([
    import('../config/state.ts'),
    import('../inbox/sign-in.ts'),
    import('../inbox/listener-proof.ts'),
  ])
  const { store, sealKeys } = await openState(config, variables, { onTrouble: (error) => err(String(error)) })
  try {
    const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
    const base = config.inbox.url ?? new URL(lastAt ?? expectedOrigin(config.listen))
    // Over https the certificate says who answers there.
    if (base.protocol === 'https:') {
      const code = await signIn.invite(localPerson)
      return code === undefined ? undefined : linkWith(code, base)
    }
    const keys = sealKeys.map(({ secret }) => listenerKey(secret))
    const listener = await askListener(base, keys, AbortSignal.timeout(aloneLimits.inboxReplyMs))
    if (listener === undefined) throw new Error(notThere(base))
    const code = await signIn.invite(localPerson, listener.instance)
    return code === undefined ? undefined : linkWith(code, new URL(listener.origin))
  } finally {
    await store.close()
  }
}
