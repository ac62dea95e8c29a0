// The running web inbox that a command is about: of the gateway with a configuration, or of this user's agents.
//
// A user who can read the configuration and open its store may sign in as the local person: it is their machine.

import { homeFolder } from '@assent/tools/home'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { standaloneConfig } from '../config/standalone-config.ts'
import { expectedOrigin } from '../http/listen.ts'
import { inboxLimits } from '../inbox/limits.ts'
import { mentionUnusedFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings } from './findings.ts'
import { standaloneLimits } from './standalone/limits.ts'
import { inboxFile, keptOrigin } from './standalone/shared-inbox.ts'
import type { Terminal } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const text = inboxText.link

export const linkMinutes: number = inboxLimits.linkMs / 60_000

export interface InboxChoice {
  readonly config: Config
  /** Whether it is the inbox of this user's agents. */
  readonly isStandalone: boolean
}

/** Undefined if the configuration is invalid; the reason is printed on standard error. */
export function chooseInbox(file: string | undefined, terminal: Terminal): InboxChoice | undefined {
  const isStandalone = file === undefined
  if (isStandalone) mentionUnusedFile(terminal)
  const { variables } = terminal
  const loaded = isStandalone ? standaloneConfig(variables) : loadConfig(file, variables)
  if (loaded.ok) return { config: loaded.config, isStandalone }
  printFindings(file ?? 'environment', loaded, terminal)
  return undefined
}

/** A command that cannot do what was asked, and the exit code for it. */
export class InboxError extends Error {
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.cannotRun) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface SignInOffer {
  readonly link: string
  isUnused(): Promise<boolean>
}

export interface FoundInbox {
  /** A sign-in link for the local person, which leads to the page `to`. Throws while too many are unused. */
  offer(to?: string): Promise<SignInOffer>
}

/**
 * Finds the inbox, and closes the store afterwards.
 *
 * @param start starts the inbox if none is found; it is then looked for until it answers
 */
export async function withInbox<T>(
  { config, isStandalone }: InboxChoice,
  { variables, err }: Terminal,
  use: (inbox: FoundInbox) => Promise<T>,
  start?: () => void,
): Promise<T> {
  // Loaded here so that `--help` does not load a database driver.
  const [{ openState }, { linkWith, SignIn }, { listenerKey }] = await Promise.all([
    import('./state.ts'),
    import('../inbox/sign-in.ts'),
    import('../inbox/listener-proof.ts'),
  ])
  const { store, sealKeys } = await openState(config, variables, { onError: (error) => err(String(error)) })
  try {
    const keys = sealKeys.map(({ secret }) => listenerKey(secret))
    const base = () => {
      const lastAt = isStandalone ? keptOrigin(inboxFile(homeFolder(variables))) : undefined
      return config.inbox.url ?? new URL(lastAt ?? expectedOrigin(config.listen))
    }
    // Over https the certificate authenticates the server.
    const found = base().protocol === 'https:' ? { origin: base().origin } : await findListener(base, keys, start)
    if (found === undefined) {
      const toStart = isStandalone ? text.startInbox : text.startGateway
      throw new InboxError(text.notFound(base().origin, start === undefined ? toStart : text.notStarted))
    }
    const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
    const offer = async (to?: string) => {
      const code = await signIn.invite(localPerson, found.instance)
      if (code === undefined) throw new InboxError(text.tooMany(linkMinutes))
      return { link: linkWith(code, new URL(found.origin), to), isUnused: () => signIn.isUnused(code, found.instance) }
    }
    return await use({ offer })
  } finally {
    await store.close()
  }
}

async function findListener(
  base: () => URL,
  keys: readonly Uint8Array[],
  start: (() => void) | undefined,
): Promise<{ readonly origin: string; readonly instance?: string } | undefined> {
  const [{ askListener }, { sleep }] = await Promise.all([
    import('../inbox/listener-proof.ts'),
    import('../protocol/sleep.ts'),
  ])
  const { inboxReplyMs, backgroundStartMs, lookAgainMs } = standaloneLimits
  const look = () => askListener(base(), keys, AbortSignal.timeout(inboxReplyMs))
  const first = await look()
  if (first !== undefined || start === undefined) return first
  start()
  const giveUpAtMs = performance.now() + backgroundStartMs
  while (performance.now() < giveUpAtMs) {
    await sleep(lookAgainMs)
    const found = await look()
    if (found !== undefined) return found
  }
  return undefined
}

/** Why the inbox of this configuration cannot be signed in to by link; undefined if it can. */
export function whyNoLink({ asks, identity, inbox, listen }: Config): string | undefined {
  if (!asks.surfaces.includes('inbox')) {
    return text.noInbox
  }
  if (identity !== undefined) return text.ownAccount(inbox.url?.href)
  if (inbox.url === undefined && listen.port === 0) {
    return text.randomPort
  }
  return undefined
}
