// How things look in a terminal: the rail on the left, the few colours, and lines that fit the width.
//
// Colour never carries meaning alone, and is left out if the terminal has none or NO_COLOR is set. The caller has
// already escaped the text (`visibleText`); the pen adds only its own signs and styles.

import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { wrapTextWithPrefix } from '@clack/core'

export interface Screen extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'red' | 'yellow' | 'inverse' | 'underline' | 'strikethrough'

export interface Pen {
  readonly signs: typeof unicodeSigns
  readonly columns: number
  readonly rows: number
  paint(style: Style | readonly Style[], text: string): string
  /** Lines next to the rail on the left; wrapped lines keep their indent. */
  rail(lines: readonly string[], style?: Style): string[]
  write(lines: readonly string[]): void
}

const unicodeSigns = {
  begin: '┌',
  bar: '│',
  end: '└',
  asking: '◆',
  answered: '◇',
  ended: '■',
  warning: '▲',
  off: '○',
  on: '●',
  unticked: '◻',
  ticked: '◼',
  mask: '•',
  claim: '┊',
  track: '─',
  filled: '━',
  more: '…',
}

const plainSigns: typeof unicodeSigns = {
  begin: '+',
  bar: '|',
  end: '+',
  asking: '*',
  answered: 'o',
  ended: 'x',
  warning: '!',
  off: '( )',
  on: '(x)',
  unticked: '[ ]',
  ticked: '[x]',
  mask: '*',
  claim: ':',
  track: '-',
  filled: '=',
  more: '...',
}

const defaultColumns = 80
const defaultRows = 24

export function penFor(output: Screen, env: NodeJS.ProcessEnv = process.env): Pen {
  const signs = drawsUnicode(env) ? unicodeSigns : plainSigns
  const paint: Pen['paint'] = (style, text) => styleText(style as Style, text, { stream: output })
  return {
    signs,
    get columns() {
      return output.columns || defaultColumns
    },
    get rows() {
      return output.rows || defaultRows
    },
    paint,
    rail(lines, style = 'dim') {
      const bar = paint(style, signs.bar)
      return lines.flatMap((line) => {
        if (line === '') return [bar]
        const indent = /^ */.exec(line)?.[0] ?? ''
        return wrapTextWithPrefix(output, line.slice(indent.length), `${bar}  ${indent}`).split('\n')
      })
    },
    write(lines) {
      output.write(`${lines.join('\n')}\n`)
    },
  }
}

/** The console of the Linux kernel, and of Windows without one of the known terminals, has no glyphs for our signs. */
function drawsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (process.platform !== 'win32') return env.TERM !== 'linux'
  return [env.WT_SESSION, env.TERM_PROGRAM, env.ConEmuTask].some((value) => value !== undefined && value !== '')
}
