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
    const title = { client: 'Client', file: 'File', change: 'Change' }
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
    const shown = same === undefined ? lines : [`  the same text as in ${this.short(same)}`]
    this.print([`\n${this.#tone('bold', this.short(file))}`, ...shown].join('\n'))
  }

  /** A file that is not changed, with what a person can do by hand. */
  skipped(file: string, change: Change, because: string, verb: 'add' | 'remove'): void {
    const same = this.#firstWith(change, file)
    const lines =
      same === undefined ? toPaste(change).trimEnd().split('\n') : [`the same text as in ${this.short(same)}`]
    const shown = lines.map((line) => `    ${line}`.trimEnd())
    this.print(
      [
        `\n${this.#tone('yellow', 'Not changed')}: ${this.short(file)}: ${because}. To do it by hand, ${verb}:`,
        ...shown,
      ].join('\n'),
    )
  }

  /** True to continue, else the exit code. */
  async confirmed({ dryRun, yes }: InitOptions, question: string): Promise<true | ExitCode> {
    if (dryRun === true) {
      this.print('\nNothing was written (--dry-run).')
      return exitCodes.ok
    }
    if (yes === true) return true
    const { confirm } = this.#terminal
    if (confirm === undefined) {
      this.error('Nothing was written: there is no terminal for the confirmation. Add --yes to write without it.')
      return exitCodes.usage
    }
    if (await confirm(`\n${question}`)) return true
    this.print('Nothing was written.')
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
  const also = others.length === 0 ? '' : ` (also read by ${others.join(', ')})`
  return {
    client: first ?? '',
    file: page.short(planned.file),
    change: plannedChange(planned) + also + linkText(planned),
  }
}

function plannedChange(planned: Planned): string {
  if (planned.kind === 'there') return 'already set up'
  if (planned.kind === 'left') {
    return planned.purpose === 'server' ? 'nothing is written for this client, see below' : 'not changed, see below'
  }
  const { change, purpose, write } = planned
  const isNew = write.before === undefined
  if (purpose === 'server') return isNew ? 'new: the server assent' : 'add the server assent'
  if (purpose === 'command') return 'new: the command /conductor'
  if (purpose === 'rules') return isNew ? 'new: rules that tell the agent when to ask' : 'add a section: when to ask'
  if (change.kind === 'file') return 'new: the agent Conductor'
  const stops = write.splices.filter(({ out }) => out !== '').length
  return `add our tools${stops === 0 ? '' : `, replace ${stops} of its stops with them`}`
}

export function undoingRow(page: InitPage, one: Undoing, clients: readonly string[]): InitRow {
  return {
    client: clients.join(', '),
    file: page.short(one.written.file),
    change: undoingChange(page, one) + linkText(one),
  }
}

function undoingChange(page: InitPage, one: Undoing): string {
  if (one.kind === 'gone') return 'contains nothing from Assent any more'
  if (one.kind === 'left') return 'not changed, see below'
  if (one.kind === 'remove') return 'delete the file'
  if (one.kind === 'change') {
    return {
      entry: 'remove the server assent',
      block: 'remove the section',
      agent: 'restore its own text',
      file: 'restore',
    }[one.written.change.kind]
  }
  const others = one.staying.map(({ client, root }) =>
    root === null ? `${client} for you` : `${client} in ${page.short(root)}`,
  )
  return `stays, because it is also used by ${others.join(', ')}`
}

function linkText({ realPath }: { readonly realPath?: string }): string {
  return realPath === undefined ? '' : ` (real path: ${realPath})`
}
