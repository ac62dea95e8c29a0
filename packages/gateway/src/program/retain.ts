// Implements `assent retain`.

import { isAssentError, oneLine } from '@assent/core'
import type { Retention } from '@assent/store'
import { onlyTenant } from '../call/local-person.ts'
import { problemText } from '../config/problem.ts'
import { periodsOf } from '../config/retention-settings.ts'
import type { Config } from '../config/settings.ts'
import { storeAddress } from '../config/special-kinds.ts'
import { loadStoreConfig, usualFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { principalOf } from './passkeys-reset.ts'
import { openState } from './state.ts'
import type { Terminal } from './terminal.ts'
import { retainText as text } from './text/retain.ts'

export interface RetainOptions {
  readonly config?: string
  /** The store in place of the configured one: as another role. */
  readonly store?: string
  /** The subject of a person at the issuer, or their whole principal. */
  readonly person?: string
  readonly dryRun?: true
}

export interface RetainResult {
  readonly code: ExitCode
  readonly words: string
}

export async function retain(options: RetainOptions, terminal: Terminal): Promise<RetainResult> {
  const { config: file, store: address, person } = options
  const loaded = loadStoreConfig(file, terminal)
  if (!loaded.ok) {
    const found =
      'unreadable' in loaded
        ? loaded.unreadable
        : loaded.problems.map((one) => problemText(file ?? usualFile, one)).join('\n')
    return failed(exitCodes.problem, text.configuration(found))
  }
  const place = address === undefined ? undefined : storeAddress.read(address)
  if (place?.ok === false) return failed(exitCodes.usage, text.invalidStore(place.problem))
  const config = place === undefined ? loaded.config : { ...loaded.config, store: place.value }
  const act = actOf(config, person, options.dryRun === true)
  if ('code' in act) return act
  try {
    const { store } = await openState(config, terminal.variables, {})
    try {
      return await act.run(store.retention)
    } finally {
      await store.close()
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(exitCodes.cannotRun, isAssentError(error) ? why : text.failed(why))
  }
}

interface Act {
  run(retention: Retention): Promise<RetainResult>
}

function actOf(config: Config, person: string | undefined, isDryRun: boolean): Act | RetainResult {
  if (person !== undefined) {
    const owner = principalOf(config, person)
    if (!owner.ok) return failed(exitCodes.usage, text.nothingChanged(owner.problem))
    return { run: (retention) => ofPerson(retention, owner.principal, isDryRun) }
  }
  const periods = periodsOf(config.retention)
  if (periods.answersMs === undefined && periods.recordMs === undefined) return failed(exitCodes.problem, text.notSet)
  return {
    run: async (retention) => {
      const done = isDryRun
        ? text.wouldExpire(await retention.due(onlyTenant, periods))
        : text.expired(await retention.apply(onlyTenant, periods))
      return { code: exitCodes.ok, words: done }
    },
  }
}

async function ofPerson(retention: Retention, principal: string, isDryRun: boolean): Promise<RetainResult> {
  const name = oneLine(principal, 'terminal')
  if (isDryRun) {
    const { asks, left } = await retention.dueOf(onlyTenant, principal)
    return { code: exitCodes.ok, words: text.wouldErasePerson(name, asks, left) }
  }
  const erased = await retention.erasePerson(onlyTenant, principal)
  const words = text.erasedPerson(name, erased)
  // Somebody has to run it again.
  return erased.left === 0 ? { code: exitCodes.ok, words } : failed(exitCodes.problem, words)
}

function failed(code: ExitCode, words: string): RetainResult {
  return { code, words }
}
