// A terminal as a surface: a person sees one question at a time and settles it.
//
// It knows questions and answers and nothing of calls, servers or protocols. Only what the person chose is an answer:
// no terminal, a terminal that went away, a deadline that passed and a question taken back are each told apart, and
// none of them is a yes.

import type { Answer, CompilePattern, Question } from '@assent/core'
import { withSecretsConfirmed } from './confirm-secret.ts'
import { type Ending, watchEnding } from './ending.ts'
import type { KeySource } from './keyboard.ts'
import { terminalLimits } from './limits.ts'
import type { OpenLink } from './link.ts'
import type { Screen } from './pen.ts'
import { type Desk, deskFor } from './prompts/run-prompt.ts'
import { type Asked, close, type PutOutcome, putQuestion, putSecret } from './put.ts'

export type TerminalOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'expired' }
  /** Nobody needs the answer any more. */
  | { readonly kind: 'withdrawn' }
  /** The person left it open, where they may: it is nobody's answer. */
  | { readonly kind: 'left' }
  /** Nobody was asked, and why. */
  | { readonly kind: 'undeliverable'; readonly reason: string }

/** A secret has its own way out, so that it is never in an answer that is kept or shown. */
export type SecretOutcome = TerminalOutcome | { readonly kind: 'given'; readonly secret: string }

export interface TerminalAsk extends Asked {
  /** Aborted when nobody needs the answer any more. */
  readonly signal?: AbortSignal
  /** The answers that this person may give; all unless told. */
  readonly answers?: readonly Answer['action'][]
  /** Escape leaves the question open instead of dismissing it. */
  readonly mayLeave?: boolean
  /** Who reads what the person writes beside a decline; the asker unless said. */
  readonly commentReaches?: 'asker' | 'audit-log'
  /** The last line, in place of our own: for whoever knows what became of the answer. */
  readonly lastWords?: (outcome: TerminalOutcome) => string | Promise<string>
}

export interface TerminalOptions {
  readonly input?: KeySource
  readonly output?: Screen
  /** Opens a link that the person chose to open. Without it, people open links themselves. */
  readonly openLink?: OpenLink
  /** How long after a decision was drawn keys do not count yet. */
  readonly settleMs?: number
  readonly now?: () => number
  /** Checks the patterns of text fields; needed for questions of other programs. Without it the platform's engine does. */
  readonly patterns?: CompilePattern
}

export interface Terminal {
  /** Whether a person can be asked here at all. */
  readonly usable: boolean
  ask(question: Question, options?: TerminalAsk): Promise<TerminalOutcome>
  askSecret(message: string, options?: TerminalAsk): Promise<SecretOutcome>
}

/** Questions go to standard error unless told otherwise, so that what a program prints can still be piped. */
export function openTerminal(options: TerminalOptions = {}): Terminal {
  const { input = process.stdin, output = process.stderr, openLink } = options
  const { settleMs = terminalLimits.settleMs, now = Date.now, patterns } = options
  const usable = input.isTTY === true && output.isTTY === true
  let last: Promise<void> = Promise.resolve()

  /** One after the other: a question waits for the one before it, and its own deadline runs meanwhile. */
  async function inTurn<O extends SecretOutcome>(
    { decideByMs, signal, answers, mayLeave, commentReaches, lastWords }: TerminalAsk,
    put: (desk: Desk, ending: Ending) => Promise<O>,
  ): Promise<O | TerminalOutcome> {
    if (!usable) return { kind: 'undeliverable', reason: 'There is no terminal here to ask a person in.' }
    const ending = watchEnding(decideByMs, signal, now)
    const before = last
    const mine = Promise.withResolvers<void>()
    last = before.then(() => mine.promise)
    try {
      await Promise.race([before, ending.come])
      if (ending.signal.aborted) return { kind: ending.why }
      const desk = deskFor(input, output, {
        signal: ending.signal,
        settleMs,
        ...(patterns === undefined ? {} : { patterns }),
        ...(answers === undefined ? {} : { answers }),
        ...(mayLeave === undefined ? {} : { mayLeave }),
        ...(commentReaches === undefined ? {} : { commentReaches }),
      })
      const outcome = await put(desk, ending)
      const own = outcome.kind === 'given' || lastWords === undefined
      close(desk, own ? ourLastWords(outcome) : await lastWords(outcome))
      return outcome
    } finally {
      ending.stop()
      mine.resolve()
    }
  }

  return {
    usable,
    ask: (question, ask = {}) =>
      inTurn(ask, async (desk, ending) => {
        const asked = { ...ask, nowMs: now(), ...(openLink === undefined ? {} : { openLink }) }
        const put = (problem = ask.problem) =>
          putQuestion(desk, question, problem === undefined ? asked : { ...asked, problem })
        const outcome = ask.isOfOthers === true ? await put() : await withSecretsConfirmed(desk, question, put)
        return outcomeOf(outcome, ending)
      }),
    askSecret: (message, ask = {}) =>
      inTurn<SecretOutcome>(ask, async (desk, ending) => {
        const put = await putSecret(desk, message, { ...ask, nowMs: now() })
        return 'secret' in put ? { kind: 'given', secret: put.secret } : outcomeOf(put, ending)
      }),
  }
}

function outcomeOf(put: PutOutcome, { why }: Ending): TerminalOutcome {
  if ('answer' in put) return { kind: 'answered', answer: put.answer }
  if ('refused' in put) return { kind: 'undeliverable', reason: put.refused }
  if (put.gone === 'taken-down') return { kind: why }
  if (put.gone === 'left') return { kind: 'left' }
  return { kind: 'undeliverable', reason: 'The terminal went away before the question was answered.' }
}

function ourLastWords(outcome: SecretOutcome): string {
  switch (outcome.kind) {
    case 'given':
      return 'Given. It was not kept here.'
    case 'expired':
      return 'The time ran out. The asker is told that nobody answered.'
    case 'withdrawn':
      return 'No longer needed: the asker took the question back.'
    case 'left':
      return 'Left open.'
    case 'undeliverable':
      return `Not asked. ${outcome.reason}`
    case 'answered':
      return answerWords[outcome.answer.action]
  }
}

const answerWords = {
  accept: 'Done. The asker has your answer.',
  decline: 'Declined. The asker is told that you said no.',
  cancel: 'Dismissed. The asker is told that you made no choice.',
} as const
