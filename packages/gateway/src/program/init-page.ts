// Output of `assent init`: each change as a diff, skipped files with the text to paste, and the confirmation.

import { relative, sep } from 'node:path'
import type { Applied } from '../setup/init/apply.ts'
import { diffOf } from '../setup/init/diff.ts'
import { toPaste } from '../setup/init/edit/paste.ts'
import type { Machine } from '../setup/init/machine.ts'
import type { Planned } from '../setup/init/plan.ts'
import type { Undoing } from '../setup/init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { InitOptions } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'

export class InitPage {
  readonly #machine: Machine
  readonly #terminal: Terminal

  constructor(machine: Machine, terminal: Terminal) {
    this.#machine = machine
    this.#terminal = terminal
  }

  print(text: string): void {
    this.#terminal.out(text)
  }

  planned(planned: Planned): string {
    const readers = this.#tone('dim', `for ${planned.clients.map(({ title }) => title).join(', ')}`)
    const title = `${this.#title(planned.file, planned.realPath)}  ${readers}`
    if (planned.kind === 'there') return `${title}\n  already set up`
    if (planned.kind === 'left') return `${title}\n${this.#notChanged(planned.because, 'add', toPaste(planned.change))}`
    const { before, after } = planned.write
    return `${title}${before === undefined ? '  (new)' : ''}\n${this.#diff(before ?? '', after)}`
  }

  applied(applied: Applied): string {
    const file = this.#short(applied.file)
    if (applied.kind === 'written') return `${this.#tone('green', 'written')} ${file}`
    return `${this.#tone('red', 'not written')} ${file}: ${applied.because}.`
  }

  undoing(one: Undoing): string {
    const title = this.#title(one.written.file, one.realPath)
    if (one.kind === 'gone') return `${title}\n  contains nothing from Assent any more`
    if (one.kind === 'left') return `${title}\n${this.#notChanged(one.because, 'remove', toPaste(one.written.change))}`
    if (one.kind === 'remove') return `${title}  (removed)\n${this.#diff(one.before, '')}`
    if (one.kind === 'change') return `${title}\n${this.#diff(one.before, one.after)}`
    const others = one.staying.map(({ client, root }) => (root === null ? client : `${client} in ${this.#short(root)}`))
    return `${title}\n  kept, because it is also used by ${others.join(', ')}`
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
      this.#terminal.err(
        'Nothing was written: there is no terminal for the confirmation. Add --yes to write without it.',
      )
      return exitCodes.usage
    }
    if (await confirm(`\n${question}`)) return true
    this.print('Nothing was written.')
    return exitCodes.ok
  }

  #title(file: string, realPath?: string): string {
    const target = realPath === undefined ? '' : ` (real path: ${realPath})`
    return `\n${this.#tone('bold', this.#short(file))}${target}`
  }

  #notChanged(because: string, verb: string, text: string): string {
    const lines = text.trimEnd().split('\n')
    const shown = lines.map((line) => `    ${line}`.trimEnd()).join('\n')
    return `  ${this.#tone('yellow', 'not changed')}: ${because}. To do it by hand, ${verb}:\n${shown}`
  }

  #diff(before: string, after: string): string {
    const tones = { ' ': 'dim', '+': 'green', '-': 'red' } as const
    return diffOf(before, after)
      .map(({ sign, text }) => this.#tone(tones[sign], `  ${sign} ${text}`.trimEnd()))
      .join('\n')
  }

  /** The path relative to the repository or the home folder, if it is inside one. */
  #short(file: string): string {
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

  #tone(tone: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string): string {
    return toned(this.#terminal.isOutColoured, tone, text)
  }
}
