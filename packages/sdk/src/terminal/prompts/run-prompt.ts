// Shows one prompt and waits until it ends.

import type { Readable, Writable } from 'node:stream'
import { type Answer, type CompilePattern, trustedPatterns } from '@assent/core'
import { isCancel, type Prompt } from '@clack/core'
import { type KeySource, type PromptEnd, takeKeys } from '../keyboard.ts'
import { type Pen, penFor, type Screen } from '../pen.ts'

export interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
}

/** Where a prompt is put, and until when. */
export interface PromptContext {
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
  /** Who reads the comment on a decline. */
  readonly commentReaches: 'asker' | 'audit-log'
  /** Who asks, in one or two words. Escaped. */
  readonly askedBy: string
  /** Checks the patterns of text fields. */
  readonly patterns: CompilePattern
}

export type Prompted<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly ended: PromptEnd }

interface RunOptions {
  /** For a decision: keys pressed before the prompt was drawn are ignored. */
  readonly settle?: boolean
}

export async function runPrompt<T>(
  context: PromptContext,
  build: (pen: Pen, streams: PromptStreams) => Prompt<T>,
  { settle = false }: RunOptions = {},
): Promise<Prompted<T>> {
  const { mayLeave } = context
  const mayDismiss = mayLeave && context.answers.includes('cancel')
  const keys = takeKeys(context.input, { settleMs: settle ? context.settleMs : 0, mayLeave, mayDismiss })
  const takeDown = () => keys.takeDown()
  try {
    const answered = build(context.pen, { input: keys.stream, output: context.output }).prompt()
    context.signal.addEventListener('abort', takeDown)
    if (context.signal.aborted) takeDown()
    const value = await answered
    if (isCancel(value) || value === undefined) return { ok: false, ended: keys.ended }
    return { ok: true, value }
  } finally {
    context.signal.removeEventListener('abort', takeDown)
    keys.release()
  }
}

const everyAnswer: PromptContext['answers'] = ['accept', 'decline', 'cancel']

export function createPromptContext(
  input: KeySource,
  output: Screen,
  {
    answers = everyAnswer,
    mayLeave = false,
    commentReaches = 'asker',
    patterns = trustedPatterns,
    ...more
  }: Pick<PromptContext, 'signal' | 'settleMs' | 'askedBy'> &
    Partial<Pick<PromptContext, 'answers' | 'mayLeave' | 'commentReaches' | 'patterns'>>,
): PromptContext {
  return { input, output, pen: penFor(output), answers, mayLeave, commentReaches, patterns, ...more }
}
