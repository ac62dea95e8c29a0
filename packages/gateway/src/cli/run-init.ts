// What `assent init` does, in the order a person sees it: find, show, ask, write, say what is next.

import { apply } from '../init/apply.ts'
import { initClients, type Scope } from '../init/clients.ts'
import { findClients, found, whereFound } from '../init/detect.ts'
import type { Program } from '../init/launch.ts'
import { type Machine, thisMachine } from '../init/machine.ts'
import { planFor } from '../init/plan.ts'
import { InitRecord } from '../init/record.ts'
import { applyUndo, planUndo } from '../init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { InitOptions } from './init-command.ts'
import { InitPage } from './init-page.ts'
import type { Terminal } from './terminal.ts'

/**
 * @param folder where the command was started
 * @param program what clients shall start; unless said, the one that runs
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
    : set(names, { scope, options, machine, page })
}

interface Around {
  readonly scope: Scope
  readonly options: InitOptions
  readonly machine: Machine
  readonly page: InitPage
}

async function set(names: readonly string[], { scope, options, machine, page }: Around): Promise<ExitCode> {
  const chosen =
    names.length > 0
      ? initClients.filter(({ id }) => names.includes(id)).map((client) => found(client, machine))
      : findClients(machine)
  if (chosen.length === 0) {
    page.say(
      `No client that init knows was found here. Name one: assent init ${initClients.map(({ id }) => id).join('|')}`,
    )
    return exitCodes.problem
  }
  const root = rootOf(scope, machine)
  page.say(root === null ? 'For you, in every project:' : `In ${root}:`)
  for (const one of chosen) page.say(`  ${one.client.title} (${whereFound(one)})`)
  const clients = chosen.map(({ client }) => client)
  const plan = planFor(clients, machine, { scope, withHabit: options.habit })
  for (const one of plan) page.say(page.planned(one))
  const count = plan.filter(({ kind }) => kind === 'write').length
  const isLeft = plan.some(({ kind }) => kind === 'left')
  if (count === 0) {
    if (options.dryRun !== true) apply(plan, { record: new InitRecord(machine), root, machine, now: new Date() })
    page.say(isLeft ? '\nNothing was written.' : '\nEverything is set up already; nothing was written.')
    return isLeft ? exitCodes.problem : exitCodes.ok
  }
  const go = await page.mayGoOn(options, `Write ${count === 1 ? 'this file' : `these ${count} files`}?`)
  if (go !== true) return go
  const applied = apply(plan, { record: new InitRecord(machine), root, machine, now: new Date() })
  for (const one of applied) page.say(page.applied(one))
  page.say('\nNext:')
  for (const client of clients)
    page.say(`  ${client.title}: ${client.next(client.isUserAlone === true ? 'user' : scope)}`)
  const undo = `assent init --undo${options.scope === undefined ? '' : ` --scope ${options.scope}`}`
  page.say(`  \`assent doctor\` shows whether it works. \`${undo}\` takes it back.`)
  return isLeft || applied.some(({ kind }) => kind === 'failed') ? exitCodes.problem : exitCodes.ok
}

async function undo(names: readonly string[], { scope, options, machine, page }: Around): Promise<ExitCode> {
  const record = new InitRecord(machine)
  const root = rootOf(scope, machine)
  const ids = names.length > 0 ? names : initClients.map(({ id }) => id)
  const plan = planUndo(
    record,
    ids.map((client) => ({ client, root })),
    machine,
  )
  if (plan.length === 0) {
    page.say(
      root === null
        ? 'Init has written nothing for you that is still there.'
        : `Init has written nothing for ${root} that is still there.`,
    )
    return exitCodes.ok
  }
  for (const one of plan) page.say(page.undoing(one))
  const count = plan.filter(({ kind }) => kind === 'change' || kind === 'remove').length
  const isLeft = plan.some(({ kind }) => kind === 'left')
  if (count > 0) {
    const go = await page.mayGoOn(options, `Take back ${count === 1 ? 'this change' : `these ${count} changes`}?`)
    if (go !== true) return go
  } else if (options.dryRun === true) return isLeft ? exitCodes.problem : exitCodes.ok
  const failed = applyUndo(plan, record, machine).filter((one) => one.kind === 'left' && !plan.includes(one))
  for (const one of failed) page.say(page.undoing(one))
  page.say(count > failed.length ? '\nTaken back.' : '\nNothing was changed.')
  return isLeft || failed.length > 0 ? exitCodes.problem : exitCodes.ok
}

function rootOf(scope: Scope, { repository, folder }: Machine): string | null {
  return scope === 'user' ? null : (repository ?? folder)
}
