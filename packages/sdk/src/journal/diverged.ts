// The errors for a handler that, run again for an answer, does not repeat what it did before.

import { AssentError } from '@assent/core'

interface Entry {
  readonly kind: 'ask' | 'step'
  readonly label: string
}

const advice =
  'It is run again for every answer, so it must ask the same questions and run the same steps again: what varies ' +
  'between runs (time, chance, outside data) belongs in a step.'

/** Something new is wanted, and something old was not reached again. */
export function outOfOrder(before: Entry, now: Entry | undefined): AssentError {
  return diverged(`This handler ${did(before)} before and ${does(before, now)} now.`)
}

/** The handler has finished. */
export function notRepeated(before: Entry): AssentError {
  return diverged(`This handler ${did(before)} before and has now finished without it.`)
}

function diverged(what: string): AssentError {
  return new AssentError('out_of_order', `${what} ${advice}`)
}

function did({ kind, label }: Entry): string {
  return kind === 'ask' ? `asked "${label}"` : `ran the step "${label}"`
}

function does(before: Entry, now: Entry | undefined): string {
  if (now === undefined) return 'does not reach it'
  if (now.kind === 'step') return `runs the step "${now.label}"`
  return before.kind === 'ask' && before.label === now.label ? 'asks it with other options' : `asks "${now.label}"`
}
