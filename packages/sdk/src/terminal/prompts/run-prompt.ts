// Puts one prompt on the screen and waits until it ends, whatever ends it.

import type { Readable, Writable } from 'node:stream'
import { type Answer, type CompilePattern, ownPatterns } from '@assent/core'
import { isCancel, type Prompt } from '@clack/core'
import { type Ended, type KeySource, takeKeys } from '../keyboard.ts'
import { type Pen, penFor, type Screen } from '../pen.ts'

export interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
}

/** Where a prompt is put, and until when. */
export interface Desk {
  readonly input: KeySource
  readonly output: Screen
  readonly pen: Pen
  /** Aborted when the question has expired or is not needed any more. */
  readonly signal: AbortSignal
  readonly settleMs: number
  /** The answers that this person may give. */
  readonly answers: readonly Answer['action'][]
  /** Whether Escape leaves the question open, for another time or another place, instead of dismissing it. */
  readonly mayLeave: boolean
  /** Who reads what the person writes beside a decline. */
  readonly commentReaches: 'asker' | 'audit-log'
  /** Checks the patterns of text fields. */
  readonly patterns: CompilePattern
}

export type Prompted<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly ended: Ended }

interface RunOptions {
  /** For what decides something: keys that were on their way before it was drawn do not count. */
  readonly settle?: boolean
}

export async function runPrompt<T>(
  desk: Desk,
  build: (pen: Pen, streams: PromptStreams) => Prompt<T>,
  { settle = false }: RunOptions = {},
): Promise<Prompted<T>> {
  const { mayLeave } = desk
  const mayDismiss = mayLeave && desk.answers.includes('cancel')
  const keys = takeKeys(desk.input, { settleMs: settle ? desk.settleMs : 0, mayLeave, mayDismiss })
  const takeDown = () => keys.takeDown()
  try {
    const answered = build(desk.pen, { input: keys.stream, output: desk.output }).prompt()
    desk.signal.addEventListener('abort', takeDown)
    if (desk.signal.aborted) takeDown()
    const value = await answered
    if (isCancel(value) || value === undefined) return { ok: false, ended: keys.ended }
    return { ok: true, value }
  } finally {
    desk.signal.removeEventListener('abort', takeDown)
    keys.release()
  }
}

const everyAnswer: Desk['answers'] = ['accept', 'decline', 'cancel']

export function deskFor(
  input: KeySource,
  output: Screen,
  {
    answers = everyAnswer,
    mayLeave = false,
    commentReaches = 'asker',
    patterns = ownPatterns,
    ...more
  }: Pick<Desk, 'signal' | 'settleMs'> & Partial<Pick<Desk, 'answers' | 'mayLeave' | 'commentReaches' | 'patterns'>>,
): Desk {
  return { input, output, pen: penFor(output), answers, mayLeave, commentReaches, patterns, ...more }
}
