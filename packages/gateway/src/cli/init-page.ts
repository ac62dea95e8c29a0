// What `assent init` shows: each change as a diff, what was left alone and what to paste there, and the question.

import { relative, sep } from 'node:path'
import type { Applied } from '../init/apply.ts'
import { diffOf } from '../init/diff.ts'
import { toPaste } from '../init/edit/paste.ts'
import type { Machine } from '../init/machine.ts'
import type { Planned } from '../init/plan.ts'
import type { Undoing } from '../init/undo.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { InitOptions } from './init-command.ts'
import { type Terminal, toned } from './terminal.ts'

export class InitPage {
  readonly #machine: Machine
  readonly #terminal: Terminal

  constructor(machine: Machine, terminal: Terminal) {
    this.#machine = machine
    this.#terminal = terminal
  }

  say(text: string): void {
    this.#terminal.out(text)
  }

  planned(planned: Planned): string {
    const readers = this.#tone('dim', `for ${planned.clients.map(({ title }) => title).join(', ')}`)
    const title = `${this.#title(planned.file, planned.realPath)}  ${readers}`
    if (planned.kind === 'there') return `${title}\n  already set up`
    if (planned.kind === 'left') return `${title}\n${this.#left(planned.because, 'add', toPaste(planned.change))}`
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
    if (one.kind === 'gone') return `${title}\n  nothing of ours is in it any more`
    if (one.kind === 'left') return `${title}\n${this.#left(one.because, 'take out', toPaste(one.written.change))}`
    if (one.kind === 'remove') return `${title}  (removed)\n${this.#diff(one.before, '')}`
    if (one.kind === 'change') return `${title}\n${this.#diff(one.before, one.after)}`
    const others = one.staying.map(({ client, root }) => (root === null ? client : `${client} in ${this.#short(root)}`))
    return `${title}\n  stays, because it also serves ${others.join(', ')}`
  }

  /** True to go on; else how to end. */
  async mayGoOn({ dryRun, yes }: InitOptions, question: string): Promise<true | ExitCode> {
    if (dryRun === true) {
      this.say('\nNothing was written (--dry-run).')
      return exitCodes.ok
    }
    if (yes === true) return true
    const { confirm } = this.#terminal
    if (confirm === undefined) {
      this.#terminal.err('Nothing was written: nobody is at a terminal to ask. Add --yes to write it.')
      return exitCodes.usage
    }
    if (await confirm(`\n${question}`)) return true
    this.say('Nothing was written.')
    return exitCodes.ok
  }

  #title(file: string, realPath?: string): string {
    const leads = realPath === undefined ? '' : ` (really ${realPath})`
    return `\n${this.#tone('bold', this.#short(file))}${leads}`
  }

  #left(because: string, verb: string, text: string): string {
    const lines = text.trimEnd().split('\n')
    const shown = lines.map((line) => `    ${line}`.trimEnd()).join('\n')
    return `  ${this.#tone('yellow', 'left as it is')}: ${because}. To do it by hand, ${verb}:\n${shown}`
  }

  #diff(before: string, after: string): string {
    const tones = { ' ': 'dim', '+': 'green', '-': 'red' } as const
    return diffOf(before, after)
      .lines.map(({ sign, text }) => this.#tone(tones[sign], `  ${sign} ${text}`.trimEnd()))
      .join('\n')
  }

  /** From here or from home, whichever fits. */
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
