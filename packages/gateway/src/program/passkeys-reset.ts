// Resets passkeys: of the person at this machine, or, with identity, of one person by an administrator.
//
// The configuration decides whose: a command cannot authenticate its user. An administrator is a user who has the
// configuration with the address of the database and the keys. The reset is recorded in the audit log with the name of their
// account, and the person sees it in the inbox.

import { userInfo } from 'node:os'
import { isAssentError, oneLine } from '@assent/core'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import type { Config } from '../config/settings.ts'
import { loadPersonalConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings } from './findings.ts'
import { openState } from './state.ts'
import type { Terminal } from './terminal.ts'
import { passkeyResetText } from './text/audit.ts'

export interface ResetOptions {
  readonly config?: string
  /** The subject of a person at the issuer, or their whole principal. */
  readonly person?: string
}

export interface ResetResult {
  readonly code: ExitCode
  readonly text: string
}

export async function resetPasskeys(options: ResetOptions, terminal: Terminal): Promise<ResetResult> {
  const loaded = loadPersonalConfig(options.config, terminal)
  if (!loaded.ok) {
    printFindings(options.config ?? 'environment', loaded, terminal)
    return { code: exitCodes.problem, text: passkeyResetText.configuration }
  }
  const { config } = loaded
  const owner = principalOf(config, options.person)
  if (!owner.ok) return { code: exitCodes.usage, text: passkeyResetText.nothingChanged(owner.problem) }
  try {
    const { store } = await openState(config, terminal.variables, {})
    try {
      const { principal } = owner
      const removed = await store.passkeys.reset({ tenant: onlyTenant, principal }, accountName())
      return options.person === undefined ? ownResult(removed) : resultOf(oneLine(options.person, 'terminal'), removed)
    } finally {
      await store.close()
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const text = isAssentError(error, 'store_unavailable') ? why : passkeyResetText.store(why)
    return { code: exitCodes.cannotRun, text }
  }
}

/** The principal of the person that an option names, or a sentence about what is wrong with it. */
export function principalOf(
  { identity }: Config,
  person: string | undefined,
): { readonly ok: true; readonly principal: string } | { readonly ok: false; readonly problem: string } {
  if (identity === undefined) {
    return person === undefined
      ? { ok: true, principal: localPerson.principal }
      : { ok: false, problem: passkeyResetText.onePerson }
  }
  if (person === undefined || person === '') {
    return { ok: false, problem: passkeyResetText.nameThem }
  }
  const { issuer } = identity
  return { ok: true, principal: person.startsWith(`${issuer}#`) ? person : `${issuer}#${person}` }
}

function ownResult(removed: number): ResetResult {
  const text = removed === 0 ? passkeyResetText.youHaveNone : passkeyResetText.removedYours(removed)
  return { code: exitCodes.ok, text }
}

function resultOf(person: string, removed: number): ResetResult {
  if (removed === 0) return { code: exitCodes.problem, text: passkeyResetText.theyHaveNone(person) }
  return { code: exitCodes.ok, text: passkeyResetText.removed(removed, person) }
}

/** The account that runs the command, for the audit log. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
