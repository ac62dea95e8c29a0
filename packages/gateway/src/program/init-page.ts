// Output of `assent init`: a table of the files and their changes, diffs on request, skipped files with the text to
// paste, and the confirmation.
//
// I1  The text of the rules is printed at most once: several files get the same text.

import { relative, sep } from 'node:path'
import { diffOf } from '../setup/init/diff.ts'
import type { Change } from '../setup/init/edit/change.ts'
import { toPaste } from '../setup/init/edit/paste.ts'
import type { Machine } from '../setup/init/machine.ts'
import type { Planned } from '../setup/init/plan.ts'
import type { Undoing } from '../setup/init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { InitOptions } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'
import { initText } from './text/init.ts'

const { table, changes, results } = initText

/** One row of the table. */
export interface InitRow {
  readonly client: string
  readonly file: string
  readonly change: string
}

export class InitPage {
  readonly #machine: Machine
  readonly #terminal: Terminal
  /** The first file whose full text was printed, by that text. */
  readonly #printed = new Map<string, string>()

  constructor(machine: Machine, terminal: Terminal) {
    this.#machine = machine
    this.#terminal = terminal
  }

  print(text: string): void {
    this.#terminal.out(text)
  }

  error(text: string): void {
    this.#terminal.err(`${toned(this.#terminal.isErrColoured, 'red', 'error')} ${text}`)
  }

  /** The client is named in its first row only. */
  table(rows: readonly InitRow[]): void {
    const title = table.head
    const width = (name: 'client' | 'file') => Math.max(...[title, ...rows].map((row) => row[name].length))
    const [clients, files] = [width('client'), width('file')]
    const line = ({ client, file, change }: InitRow) =>
      `  ${client.padEnd(clients)}  ${file.padEnd(files)}  ${change}`.trimEnd()
    this.print(`\n${this.#tone('bold', line(title))}`)
    rows.forEach((row, index) => {
      this.print(line(row.client === rows[index - 1]?.client ? { ...row, client: '' } : row))
    })
  }

  /** The full change of a file, for --diff. */
  diff(file: string, change: Change, before: string, after: string): void {
    const same = this.#firstWith(change, file)
    const lines = diffOf(before, after).map(({ sign, text }) => this.#tone(tones[sign], `  ${sign} ${text}`.trimEnd()))
    const shown = same === undefined ? lines : [`  ${changes.sameAs(this.short(same))}`]
    this.print([`\n${this.#tone('bold', this.short(file))}`, ...shown].join('\n'))
  }

  /** A file that is not changed, with what a person can do by hand. */
  skipped(file: string, change: Change, because: string, verb: 'add' | 'remove'): void {
    const same = this.#firstWith(change, file)
    const lines = same === undefined ? toPaste(change).trimEnd().split('\n') : [changes.sameAs(this.short(same))]
    const shown = lines.map((line) => `    ${line}`.trimEnd())
    this.print(
      [
        `\n${this.#tone('yellow', changes.notChanged)}: ${changes.byHand(this.short(file), because, verb)}`,
        ...shown,
      ].join('\n'),
    )
  }

  /** True to continue, else the exit code. */
  async confirmed({ dryRun, yes }: InitOptions, question: string): Promise<true | ExitCode> {
    if (dryRun === true) {
      this.print(`\n${results.dryRun}`)
      return exitCodes.ok
    }
    if (yes === true) return true
    const { confirm } = this.#terminal
    if (confirm === undefined) {
      this.error(changes.noTerminal)
      return exitCodes.usage
    }
    if (await confirm(`\n${question}`)) return true
    this.print(results.nothing)
    return exitCodes.ok
  }

  /** The path relative to the repository or the home folder, if it is inside one. */
  short(file: string): string {
    const { home, repository, folder } = this.#machine
    const bases = [
      [repository ?? folder, ''],
      [home, `~${sep}`],
    ] as const
    for (const [base, prefix] of bases) {
      const path = relative(base, file)
      if (path !== '' && !path.startsWith('..') && path !== file) return prefix + path
    }
    return file
  }

  /** The file in which the same text was printed before; entries are short and are always printed. */
  #firstWith(change: Change, file: string): string | undefined {
    if (change.kind === 'entry') return undefined
    // The same rules have a title of another level, or front matter, in some files.
    const text = change.text.replace(/^---\n[\s\S]*?\n---\n+/, '').replace(/^#+ /, '')
    const before = this.#printed.get(text)
    if (before === undefined) this.#printed.set(text, file)
    return before
  }

  #tone(tone: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string): string {
    return toned(this.#terminal.isOutColoured, tone, text)
  }
}

const tones = { ' ': 'dim', '+': 'green', '-': 'red' } as const

export function plannedRow(page: InitPage, planned: Planned): InitRow {
  const [first, ...others] = planned.clients.map(({ title }) => title)
  const also = others.length === 0 ? '' : table.alsoReadBy(others)
  return {
    client: first ?? '',
    file: page.short(planned.file),
    change: plannedChange(planned) + also + linkText(planned),
  }
}

function plannedChange(planned: Planned): string {
  if (planned.kind === 'there') return table.there
  if (planned.kind === 'left') {
    return planned.purpose === 'server' ? table.clientSkipped : table.skipped
  }
  const { change, purpose, write } = planned
  const isNew = write.before === undefined
  if (purpose === 'server') return isNew ? table.newServer : table.addServer
  if (purpose === 'command') return table.newCommand
  if (purpose === 'rules') return isNew ? table.newRules : table.addRules
  if (change.kind === 'file') return table.newAgent
  return table.changeAgent(write.splices.filter(({ out }) => out !== '').length)
}

export function undoingRow(page: InitPage, one: Undoing, clients: readonly string[]): InitRow {
  return {
    client: clients.join(', '),
    file: page.short(one.written.file),
    change: undoingChange(page, one) + linkText(one),
  }
}

function undoingChange(page: InitPage, one: Undoing): string {
  if (one.kind === 'gone') return table.gone
  if (one.kind === 'left') return table.skipped
  if (one.kind === 'remove') return table.deleteFile
  if (one.kind === 'change') return table.undone[one.written.change.kind]
  const others = one.staying.map(({ client, root }) =>
    root === null ? table.clientForYou(client) : table.clientIn(client, page.short(root)),
  )
  return table.stays(others)
}

function linkText({ realPath }: { readonly realPath?: string }): string {
  return realPath === undefined ? '' : table.realPath(realPath)
}
