// The desk of the person at this machine: the store of a configuration, opened for answering and nothing else.
//
// Without identity everyone on the machine is the one local person, and whoever can open the store is that person. With
// identity a person is somebody whom the issuer vouches for; a command on a server cannot know who types, so it refuses.

import { existsSync } from 'node:fs'
import type { InboxProblem, Person } from '@assent/core'
import type { Store } from '@assent/store'
import { type Loaded, loadConfig } from '../config/load.ts'
import { readConfig } from '../config/read-config.ts'
import type { Config } from '../config/settings.ts'
import { openState, storePlace } from '../config/state.ts'
import { AskDesk } from '../inbox/ask-desk.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { usualFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { sayFindings } from './findings.ts'
import { namingOf } from './inbox.ts'
import type { Terminal } from './terminal.ts'

export interface OpenDesk {
  readonly desk: AskDesk
  readonly store: Store
  readonly tenant: string
  readonly person: Person
  readonly config: Config
  /** Where the asks are kept, in words that hold no password. */
  readonly place: string
}

export type DeskOpened =
  | { readonly ok: true; readonly open: OpenDesk }
  | { readonly ok: false; readonly code: ExitCode; readonly problem: InboxProblem }

export const configOption = [
  '-c, --config <file>',
  `the gateway's configuration; ${usualFile} if it is here, else the store of this user`,
] as const

export async function openDesk(file: string | undefined, terminal: Terminal): Promise<DeskOpened> {
  const loaded = load(file, terminal)
  if (!loaded.ok) {
    sayFindings(file ?? usualFile, loaded, terminal)
    return no(exitCodes.problem, 'malformed', 'The configuration has mistakes. Nothing was opened.')
  }
  const { config } = loaded
  if (config.identity !== undefined) {
    const why =
      'This configuration has identity: who answers is whoever its issuer signs in, and a command cannot know who types it. Answer in your client or in the web inbox. Nothing was opened.'
    return no(exitCodes.cannotRun, 'refused', why)
  }
  const where = storePlace(config.store, terminal.variables)
  try {
    const { store } = await openState(config, terminal.variables, {})
    const naming = namingOf(config)
    const desk = new AskDesk({ store, tenant: onlyTenant, naming, now: () => store.nowMs(), via: 'terminal' })
    return {
      ok: true,
      open: { desk, store, tenant: onlyTenant, person: localPerson, config, place: placeInWords(where) },
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return no(exitCodes.cannotRun, 'unavailable', `The store cannot be opened: ${why}`)
  }
}

function load(file: string | undefined, { variables }: Terminal): Loaded {
  if (file !== undefined || existsSync(usualFile)) return loadConfig(file ?? usualFile, variables)
  // What the ASSENT_… variables and the defaults say. A configuration has at least one server; here none is started.
  const read = readConfig('servers: { none: { command: none } }', {
    variables,
    readFile: () => ({ ok: false, reason: 'there is no configuration here' }),
  })
  return read.ok ? { ...read, config: { ...read.config, servers: {} } } : read
}

function placeInWords(store: Config['store']): string {
  if (store.engine === 'sqlite') return store.path
  const { host, pathname } = new URL(store.url)
  return `postgres ${host}${pathname}`
}

function no(code: ExitCode, problem: InboxProblem['code'], message: string): DeskOpened {
  return { ok: false, code, problem: { code: problem, message } }
}
