// Implements `assent init`: finds clients, lets the person choose, shows the changes, asks, writes, and prints the next
// steps.

import { isAbsolute } from 'node:path'
import { apply } from '../setup/init/apply.ts'
import { type InitClient, initClients, type Scope } from '../setup/init/clients.ts'
import { findClients } from '../setup/init/detect.ts'
import type { Program } from '../setup/init/launch.ts'
import { type Machine, thisMachine } from '../setup/init/machine.ts'
import { isUnusable, type Planned, planFor } from '../setup/init/plan.ts'
import { InitRecord } from '../setup/init/record.ts'
import { applyUndo, planUndo, type Undoing } from '../setup/init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { listText, readChoice } from './init-choice.ts'
import type { InitOptions } from './init-options.ts'
import { InitPage, plannedRow, undoingRow } from './init-page.ts'
import type { Terminal } from './terminal.ts'
import { initText } from './text/init.ts'

const { choice, changes, results, scope: scopeText } = initText

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
  const context = { names, options, machine, terminal, page: new InitPage(machine, terminal) }
  return options.undo === true ? undo(context) : setUp(context)
}

interface InitContext {
  readonly names: readonly string[]
  readonly options: InitOptions
  readonly machine: Machine
  readonly terminal: Terminal
  readonly page: InitPage
}

async function setUp(context: InitContext): Promise<ExitCode> {
  const { options, machine, page } = context
  const clients = await chooseClients(context)
  if (!Array.isArray(clients)) return clients
  const { scope } = options
  const root = rootOf(scope, machine)
  page.print(root === null ? scopeText.user : scopeText.project(root))
  const plan = planFor(clients, machine, { scope, withRules: options.rules })
  show(plan, context)
  const count = plan.filter(({ kind }) => kind === 'write').length
  const hasSkipped = plan.some(({ kind }) => kind === 'left')
  const applying = { record: new InitRecord(machine), root, machine, now: new Date() }
  if (count === 0) {
    if (options.dryRun !== true) apply(plan, applying)
    page.print(`\n${hasSkipped ? results.nothing : results.allThere}`)
    return hasSkipped ? exitCodes.problem : exitCodes.ok
  }
  const go = await page.confirmed(options, changes.write(count))
  if (go !== true) return go
  const applied = apply(plan, applying)
  const written = applied.filter(({ kind }) => kind === 'written').length
  page.print(`\n${written === 0 ? results.nothing : results.wrote(written)}`)
  const failed = applied.filter((one) => one.kind === 'failed')
  for (const { planned, because } of failed) page.error(results.notWritten(page.short(planned.file), because))
  const ready = clients.filter(
    (client) =>
      !isUnusable(client, plan) &&
      !failed.some(({ planned }) => planned.purpose === 'server' && planned.clients.includes(client)),
  )
  if (ready.length > 0) nextSteps(ready, scope, page)
  const missing = clients.filter((client) => !ready.includes(client))
  if (missing.length > 0) page.error(results.notSetUp(missing.map(({ title }) => title)))
  return hasSkipped || failed.length > 0 ? exitCodes.problem : exitCodes.ok
}

/** The exit code if there is nothing to do, or the person has to say more. */
async function chooseClients({
  names,
  options,
  machine,
  terminal,
  page,
}: InitContext): Promise<InitClient[] | ExitCode> {
  if (names.length > 0) return initClients.filter(({ id }) => names.includes(id))
  const detected = findClients(machine)
  if (detected.length === 0) {
    page.print(choice.noneFound(initClients.map(({ id }) => id)))
    return exitCodes.problem
  }
  if (options.all === true) return detected.map(({ client }) => client)
  page.print(`${choice.found}\n${listText(detected)}\n`)
  const { ask } = terminal
  if (ask === undefined) {
    page.error(choice.noTerminal(detected[0]?.client.id))
    return exitCodes.usage
  }
  for (;;) {
    const line = await ask(choice.question)
    const read = readChoice(line ?? '', detected)
    if (!read.ok) page.print(read.because)
    else if (read.clients.length > 0) return [...read.clients]
    else {
      page.print(choice.none)
      return exitCodes.ok
    }
  }
}

function show(plan: readonly Planned[], { options, machine, page }: InitContext): void {
  const clients = [...new Set(plan.flatMap((one) => one.clients.slice(0, 1)))]
  const sorted = clients.flatMap((client) => plan.filter((one) => one.clients[0] === client))
  page.table(sorted.map((one) => plannedRow(page, one)))
  if (options.diff === true) {
    for (const one of sorted) {
      if (one.kind === 'write') page.diff(one.file, one.change, one.write.before ?? '', one.write.after)
    }
  } else if (plan.some(({ kind }) => kind === 'write')) page.print(`  ${changes.diffHint}`)
  if (options.scope === 'project' && isAbsolute(machine.launch.command)) {
    page.print(`  ${changes.pathHint}`)
  }
  for (const one of sorted) if (one.kind === 'left') page.skipped(one.file, one.change, one.because, 'add')
}

function nextSteps(clients: readonly InitClient[], scope: Scope, page: InitPage): void {
  page.print(`\n${results.next}`)
  const width = Math.max(...clients.map(({ title }) => title.length))
  for (const { title, next, isUserAlone } of clients) {
    page.print(`  ${title.padEnd(width)}  ${next(isUserAlone === true ? 'user' : scope)}`)
  }
  page.print(`\n${results.checks(scope === 'project')}`)
}

async function undo({ names, options, machine, page }: InitContext): Promise<ExitCode> {
  const record = new InitRecord(machine)
  const root = rootOf(options.scope, machine)
  const ids = names.length > 0 ? names : initClients.map(({ id }) => id)
  const removed = ids.map((client) => ({ client, root }))
  const plan = planUndo(record, removed, machine)
  if (plan.length === 0) {
    page.print([results.nothingToUndo(root), ...elsewhere(record, machine, root)].join(' '))
    return exitCodes.ok
  }
  page.print(root === null ? scopeText.user : scopeText.undoneIn(root))
  showUndo(plan, ids, { options, page })
  const count = plan.filter(({ kind }) => kind === 'change' || kind === 'remove').length
  const hasSkipped = plan.some(({ kind }) => kind === 'left')
  if (count > 0) {
    const go = await page.confirmed(options, changes.revert(count))
    if (go !== true) return go
  } else if (options.dryRun === true) return hasSkipped ? exitCodes.problem : exitCodes.ok
  const failed = applyUndo(plan, record, machine).filter((one) => one.kind === 'left' && !plan.includes(one))
  for (const one of failed) {
    if (one.kind === 'left') page.error(results.notReverted(page.short(one.written.file), one.because))
  }
  const reverted = count - failed.length
  page.print(`\n${reverted > 0 ? results.reverted(reverted) : results.noneChanged}`)
  return hasSkipped || failed.length > 0 ? exitCodes.problem : exitCodes.ok
}

function showUndo(
  plan: readonly Undoing[],
  ids: readonly string[],
  { options, page }: Pick<InitContext, 'options' | 'page'>,
): void {
  const clientsOf = ({ written }: Undoing) =>
    initClients
      .filter(({ id }) => ids.includes(id) && written.readers.some(({ client }) => client === id))
      .map(({ title }) => title)
  const sorted = plan.toSorted((one, other) => clientsOf(one).join().localeCompare(clientsOf(other).join()))
  page.table(sorted.map((one) => undoingRow(page, one, clientsOf(one))))
  for (const one of sorted) {
    const { file, change } = one.written
    if (one.kind === 'left') page.skipped(file, change, one.because, 'remove')
    else if (options.diff === true && (one.kind === 'change' || one.kind === 'remove')) {
      page.diff(file, change, one.before, one.kind === 'change' ? one.after : '')
    }
  }
}

/** A hint, if the other scope has something to undo. */
function elsewhere(record: InitRecord, machine: Machine, root: string | null): readonly string[] {
  const other = root === null ? (machine.repository ?? machine.folder) : null
  if (!record.read().some(({ readers }) => readers.some((one) => one.root === other))) return []
  return [other === null ? results.undoUser : results.undoProject]
}

function rootOf(scope: Scope, { repository, folder }: Machine): string | null {
  return scope === 'user' ? null : (repository ?? folder)
}
