// Implements `assent init`: detects clients, shows the changes, asks, writes, and prints the next steps.

import { apply } from '../setup/init/apply.ts'
import { initClients, type Scope } from '../setup/init/clients.ts'
import { findClients, found, whereFound } from '../setup/init/detect.ts'
import type { Program } from '../setup/init/launch.ts'
import { type Machine, thisMachine } from '../setup/init/machine.ts'
import { planFor } from '../setup/init/plan.ts'
import { InitRecord } from '../setup/init/record.ts'
import { applyUndo, planUndo } from '../setup/init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { InitOptions } from './init-options.ts'
import { InitPage } from './init-page.ts'
import type { Terminal } from './terminal.ts'

/**
 * @param folder the working directory of the command
 * @param program the program that clients start; by default the running one
 */
export async function runInit(
  names: readonly string[],
  options: InitOptions,
  terminal: Terminal,
  folder = process.cwd(),
  program?: Program,
): Promise<ExitCode> {
  const machine = thisMachine(terminal.variables, folder, process.platform, program)
  const scope: Scope = options.scope ?? (machine.repository === undefined ? 'user' : 'project')
  const page = new InitPage(machine, terminal)
  return options.undo === true
    ? undo(names, { scope, options, machine, page })
    : setUp(names, { scope, options, machine, page })
}

interface InitContext {
  readonly scope: Scope
  readonly options: InitOptions
  readonly machine: Machine
  readonly page: InitPage
}

async function setUp(names: readonly string[], { scope, options, machine, page }: InitContext): Promise<ExitCode> {
  const chosen =
    names.length > 0
      ? initClients.filter(({ id }) => names.includes(id)).map((client) => found(client, machine))
      : findClients(machine)
  if (chosen.length === 0) {
    page.print(`No supported client was found here. Name one: assent init ${initClients.map(({ id }) => id).join('|')}`)
    return exitCodes.problem
  }
  const root = rootOf(scope, machine)
  page.print(root === null ? 'For you, in every project:' : `In ${root}:`)
  for (const one of chosen) page.print(`  ${one.client.title} (${whereFound(one)})`)
  const clients = chosen.map(({ client }) => client)
  const plan = planFor(clients, machine, { scope, withHabit: options.habit })
  for (const one of plan) page.print(page.planned(one))
  const count = plan.filter(({ kind }) => kind === 'write').length
  const hasSkipped = plan.some(({ kind }) => kind === 'left')
  if (count === 0) {
    if (options.dryRun !== true) apply(plan, { record: new InitRecord(machine), root, machine, now: new Date() })
    page.print(hasSkipped ? '\nNothing was written.' : '\nEverything is set up already; nothing was written.')
    return hasSkipped ? exitCodes.problem : exitCodes.ok
  }
  const go = await page.confirmed(options, `Write ${count === 1 ? 'this file' : `these ${count} files`}?`)
  if (go !== true) return go
  const applied = apply(plan, { record: new InitRecord(machine), root, machine, now: new Date() })
  for (const one of applied) page.print(page.applied(one))
  page.print('\nNext:')
  for (const client of clients)
    page.print(`  ${client.title}: ${client.next(client.isUserAlone === true ? 'user' : scope)}`)
  const undo = `assent init --undo${options.scope === undefined ? '' : ` --scope ${options.scope}`}`
  page.print(`  \`assent doctor\` shows whether it works. \`${undo}\` undoes it.`)
  return hasSkipped || applied.some(({ kind }) => kind === 'failed') ? exitCodes.problem : exitCodes.ok
}

async function undo(names: readonly string[], { scope, options, machine, page }: InitContext): Promise<ExitCode> {
  const record = new InitRecord(machine)
  const root = rootOf(scope, machine)
  const ids = names.length > 0 ? names : initClients.map(({ id }) => id)
  const plan = planUndo(
    record,
    ids.map((client) => ({ client, root })),
    machine,
  )
  if (plan.length === 0) {
    page.print(root === null ? 'There is nothing to undo for you.' : `There is nothing to undo for ${root}.`)
    return exitCodes.ok
  }
  for (const one of plan) page.print(page.undoing(one))
  const count = plan.filter(({ kind }) => kind === 'change' || kind === 'remove').length
  const hasSkipped = plan.some(({ kind }) => kind === 'left')
  if (count > 0) {
    const go = await page.confirmed(options, `Undo ${count === 1 ? 'this change' : `these ${count} changes`}?`)
    if (go !== true) return go
  } else if (options.dryRun === true) return hasSkipped ? exitCodes.problem : exitCodes.ok
  const failed = applyUndo(plan, record, machine).filter((one) => one.kind === 'left' && !plan.includes(one))
  for (const one of failed) page.print(page.undoing(one))
  page.print(count > failed.length ? '\nUndone.' : '\nNothing was changed.')
  return hasSkipped || failed.length > 0 ? exitCodes.problem : exitCodes.ok
}

function rootOf(scope: Scope, { repository, folder }: Machine): string | null {
  return scope === 'user' ? null : (repository ?? folder)
}
