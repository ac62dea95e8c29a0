// The ask service of the person at this machine: opens the store of a configuration, only for answering asks.
//
// Without identity there is one local person, and any user who can open the store is that person. With identity the
// issuer authenticates people; a command on a server cannot know who runs it, so it refuses.

import { type InboxProblem, type Person, stricterPresence } from '@assent/core'
import type { Store } from '@assent/store'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { askLink } from '../call/route/ask-link.ts'
import type { Config } from '../config/settings.ts'
import { expectedOrigin } from '../http/listen.ts'
import { AskService } from '../inbox/ask-service.ts'
import { loadPersonalConfig, storeInWords } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings } from './findings.ts'
import { namingOf } from './inbox.ts'
import { describeOwnAsker } from './standalone/own-asker.ts'
import { openState, storePlace } from './state.ts'
import type { Terminal } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const { notOpened } = inboxText

export interface OpenedAskService {
  readonly service: AskService
  readonly store: Store
  readonly tenant: string
  readonly person: Person
  readonly config: Config
  /** The location of the store as text, without a password. */
  readonly place: string
}

export type AskServiceOpening =
  | { readonly ok: true; readonly open: OpenedAskService }
  | { readonly ok: false; readonly code: ExitCode; readonly problem: InboxProblem }

export async function openAskService(file: string | undefined, terminal: Terminal): Promise<AskServiceOpening> {
  const loaded = loadPersonalConfig(file, terminal)
  if (!loaded.ok) {
    printFindings(file ?? 'environment', loaded, terminal)
    return fail(exitCodes.problem, 'malformed', notOpened.configuration)
  }
  const { config } = loaded
  if (config.identity !== undefined) {
    return fail(exitCodes.cannotRun, 'refused', notOpened.identity)
  }
  const where = storePlace(config.store, terminal.variables)
  try {
    const { store } = await openState(config, terminal.variables, {})
    // A command may run with another configuration than the gateway: the stricter of both settings applies.
    const recorded = await store.passkeys.recordedSetting(onlyTenant)
    const presence = () => stricterPresence(recorded, config.inbox.presence)
    // The user's own store has asks of agents; a gateway may have a server with the same name.
    const own = file === undefined ? { describe: describeOwnAsker } : {}
    const naming = { ...namingOf(config), ...own, presence }
    const inboxUrl = config.inbox.url?.href ?? `${expectedOrigin(config.listen)}/`
    const linkOf = (id: string) => askLink(inboxUrl, id)
    const now = () => store.nowMs()
    const service = new AskService({ store, tenant: onlyTenant, naming, now, via: 'terminal', linkOf })
    return {
      ok: true,
      open: { service, store, tenant: onlyTenant, person: localPerson, config, place: storeInWords(where) },
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(exitCodes.cannotRun, 'unavailable', notOpened.store(why))
  }
}

function fail(code: ExitCode, problem: InboxProblem['code'], message: string): AskServiceOpening {
  return { ok: false, code, problem: { code: problem, message } }
}
