// The list on the terminal's alternate screen, and its keys.
//
// The alternate screen is left while a question is asked, so that the question stays in the scrollback. The terminal is
// restored however the list ends.

import { type KeySource, type Pen, penFor, type Screen } from '@assent/sdk/terminal'
import { terminalInboxLimits } from '../limits.ts'
import { drawList } from './draw-list.ts'
import type { LiveAsks } from './live-asks.ts'

export interface Choosing {
  readonly live: LiveAsks
  readonly input: KeySource
  readonly output: Screen
  readonly place: string
  readonly now: () => number
  /** Aborted when the program stops. */
  readonly signal: AbortSignal
}

/** State kept between two displays of the list. */
export interface Memory {
  selected: string | undefined
  /** The row of the selected ask. When that ask is gone, the one in its place is selected. */
  row?: number
  notice: string
}

// Alternate screen, hidden cursor, and no line wrapping.
const enterScreen = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const leaveScreen = '\u001b[?7h\u001b[?25h\u001b[?1049l'

/** The id of the ask that the person opens; undefined when they quit. */
export async function chooseAsk({ live, input, output, place, now, signal }: Choosing, memory: Memory) {
  const pen = penFor(output)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const draw = () => {
    live.tidy()
    const asks = live.list()
    const row = asks.findIndex(({ id }) => id === memory.selected)
    memory.row = row >= 0 ? row : Math.min(memory.row ?? 0, Math.max(asks.length - 1, 0))
    memory.selected = asks[memory.row]?.id
    paint(output, pen, drawList(pen, { ...memory, asks, hasMore: live.hasMore, place, nowMs: now() }))
  }
  const onData = (chunk: Buffer | string) => {
    for (const key of keysIn(String(chunk))) {
      if (key === 'leave') return resolve(undefined)
      if (key === 'open' && memory.selected !== undefined) return resolve(memory.selected)
      if (key !== 'open') move(memory, live, key)
    }
    draw()
  }
  const leave = () => resolve(undefined)
  const stop = live.listen(draw)
  const ticking = setInterval(draw, terminalInboxLimits.redrawMs)
  signal.addEventListener('abort', leave)
  output.on('resize', draw)
  input.on('data', onData).once('end', leave).once('close', leave)
  input.setRawMode?.(true)
  input.resume()
  output.write(enterScreen)
  try {
    if (signal.aborted || input.readableEnded) return undefined
    draw()
    return await promise
  } finally {
    stop()
    clearInterval(ticking)
    signal.removeEventListener('abort', leave)
    output.off('resize', draw)
    input.off('data', onData).off('end', leave).off('close', leave)
    if (!input.destroyed) input.setRawMode?.(false)
    input.pause()
    output.write(leaveScreen)
  }
}

function paint(output: Screen, { rows }: Pen, lines: readonly string[]): void {
  const shown = lines.slice(0, rows).map((line) => `${line}\u001b[K`)
  output.write(`\u001b[H${shown.join('\r\n')}\u001b[J`)
}

type Key = 'up' | 'down' | 'first' | 'last' | 'open' | 'leave'

const keys: Readonly<Record<string, Key>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  k: 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  j: 'down',
  '\u001b[H': 'first',
  g: 'first',
  '\u001b[F': 'last',
  G: 'last',
  '\r': 'open',
  '\n': 'open',
  q: 'leave',
  '\u0003': 'leave',
  '\u0004': 'leave',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as escape sequences.
const oneKey = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[\s\S]/gu

function keysIn(text: string): readonly Key[] {
  return Array.from(text.matchAll(oneKey), ([sequence]) => keys[sequence]).filter((key) => key !== undefined)
}

function move(memory: Memory, live: LiveAsks, key: Exclude<Key, 'open' | 'leave'>): void {
  const asks = live.list()
  const at = asks.findIndex(({ id }) => id === memory.selected)
  const to = { up: at - 1, down: at + 1, first: 0, last: asks.length - 1 }[key]
  memory.selected = asks[Math.min(Math.max(to, 0), asks.length - 1)]?.id
}
