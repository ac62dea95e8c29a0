// A scripted person: sees the questions in the inbox and answers them with `assent asks`.

import { setTimeout as delay } from 'node:timers/promises'
import type { AskView } from '@assent/core'
import type { Commands } from './program.ts'

export class ScriptedPerson {
  readonly #commands: Commands
  readonly #seen = new Set<string>()
  /** The asks that this person answered. */
  readonly answered = new Set<string>()

  constructor(commands: Commands) {
    this.#commands = commands
  }

  /** Waits for the next question; undefined once `isOver`. */
  async nextAsk(isOver: () => boolean): Promise<AskView | undefined> {
    while (!isOver()) {
      const ask = (await this.#list([])).find(({ id }) => !this.#seen.has(id))
      // Listing takes a moment; if it is over by now, this is the next question.
      if (ask !== undefined && !isOver()) {
        this.#seen.add(ask.id)
        return ask
      }
      await delay(250)
    }
    return undefined
  }

  /** Returns why the answer was not recorded; undefined if it was. */
  async answer({ id }: AskView, args: readonly string[]): Promise<string | undefined> {
    const { code, text } = await this.#commands.run(['asks', 'answer', id, ...args, '--json'])
    if (code !== 0) return text
    this.answered.add(id)
    return undefined
  }

  ended(): Promise<readonly AskView[]> {
    return this.#list(['--ended'])
  }

  async #list(args: readonly string[]): Promise<readonly AskView[]> {
    const { code, text } = await this.#commands.run(['asks', 'list', '--json', ...args])
    if (code !== 0) throw new Error(`The asks cannot be listed: ${text}`)
    return JSON.parse(text).asks
  }
}
