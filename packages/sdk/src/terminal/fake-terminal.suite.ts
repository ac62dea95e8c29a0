// A terminal made of two streams: keys go in one by one, and what was drawn can be read without its colours.
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts'

export const key = {
  enter: '\r',
  up: '\u001b[A',
  down: '\u001b[B',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  backspace: '\u007f',
  tab: '\t',
} as const

class Keys extends PassThrough {
  readonly isTTY: boolean = true
  isRaw = false

  setRawMode(raw: boolean): void {
    this.isRaw = raw
  }
}

class Screen extends PassThrough {
  readonly isTTY: boolean = true
  readonly columns = 80
  readonly rows = 24
}

export interface FakeTerminal {
  readonly terminal: Terminal
  readonly keys: Keys
  /** Everything drawn so far, frame after frame. */
  drawn(): string
  /** With its escape sequences. */
  drawnRaw(): string
  /** Waits until the text is drawn, counting from the last time it was waited for. */
  sees(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
}

export function fakeTerminal(options: TerminalOptions = {}): FakeTerminal {
  const keys = new Keys()
  const screen = new Screen()
  let raw = ''
  let seen = 0
  screen.on('data', (chunk) => {
    raw += chunk
  })
  const drawn = () => stripVTControlCharacters(raw)

  async function sees(text: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 5) {
      const at = drawn().indexOf(text, seen)
      if (at >= 0) {
        seen = at + text.length
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`“${text}” was not drawn. Drawn since the last match:\n${drawn().slice(seen)}`)
  }

  return {
    terminal: openTerminal({ input: keys, output: screen, settleMs: 0, ...options }),
    keys,
    drawn,
    drawnRaw: () => raw,
    sees,
    async press(...pressed) {
      for (const one of pressed) {
        keys.write(one)
        // The reader waits after an escape, to distinguish the Escape key from the start of an arrow key.
        await new Promise((resolve) => setTimeout(resolve, one === key.escape ? 80 : 5))
      }
    },
  }
}
