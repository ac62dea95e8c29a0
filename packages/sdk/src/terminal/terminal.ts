// A terminal as a surface: a person sees one question at a time and settles it.
//
// It depends on questions and answers, not on calls, servers or protocols. Only what the person chose is an answer.
// No terminal, a closed terminal, a passed deadline and a withdrawn question have separate outcomes, and none of them
// is a yes.

import type { Answer, CompilePattern, Question } from '@assent/core'
import { compact } from '@assent/core'
import { withSecretsConfirmed } from './confirm-secret.ts'
import type { KeySource } from './keyboard.ts'
import { terminalLimits } from './limits.ts'
import type { OpenLink } from './link.ts'
import type { Screen } from './pen.ts'
import { createPromptContext, type PromptContext } from './prompts/run-prompt.ts'
import {
  type PutOutcome,
  putQuestion,
  putSecret,
  type QuestionContext,
  shortNameOf,
  writeClosingLine,
} from './put-question.ts'
import { type QuestionEnd, watchQuestionEnd } from './question-end.ts'

export type TerminalOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'expired' }
  /** The answer is no longer needed. */
  | { readonly kind: 'withdrawn' }
  /** The person left the question open, where that is allowed: not an answer. */
  | { readonly kind: 'left' }
  /** The question was not asked, and why. */
  | { readonly kind: 'undeliverable'; readonly reason: string }

/** A secret has its own outcome, so that it is never in an answer that is stored or shown. */
export type SecretOutcome = TerminalOutcome | { readonly kind: 'given'; readonly secret: string }

export interface TerminalAsk extends QuestionContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal
  /** The answers that this person may give; all by default. */
  readonly answers?: readonly Answer['action'][]
  /** Escape leaves the question open instead of dismissing it. */
  readonly mayLeave?: boolean
  /** Who reads what the person writes next to a decline; the asker by default. */
  readonly commentReaches?: 'asker' | 'audit-log'
  /** The closing line, in place of ours: for a caller that knows the result of the answer. */
  readonly lastWords?: (outcome: TerminalOutcome) => string | Promise<string>
}

export interface TerminalOptions {
  readonly input?: KeySource
  readonly output?: Screen
  /** Opens a link that the person chose to open. Without it, people open links themselves. */
  readonly openLink?: OpenLink
  /** How long keys are ignored after a decision was drawn. */
  readonly settleMs?: number
  readonly now?: () => number
  /** Checks the patterns of text fields; needed for questions of other programs. Without it the platform's engine does. */
  readonly patterns?: CompilePattern
}

export interface Terminal {
  /** Whether a person can be asked here. */
  readonly usable: boolean
  ask(question: Question, options?: TerminalAsk): Promise<TerminalOutcome>
  askSecret(message: string, options?: TerminalAsk): Promise<SecretOutcome>
}

/** Questions go to standard error by default, so that the output of a program can still be piped. */
export function openTerminal(options: TerminalOptions = {}): Terminal {
  const { input = process.stdin, output = process.stderr, openLink } = options
  const { settleMs = terminalLimits.settleMs, now = Date.now, patterns } = options
  const usable = input.isTTY === true && output.isTTY === true
  let last: Promise<void> = Promise.resolve()

  /** One after the other: a question waits for the one before it, and its own deadline runs meanwhile. */
  async function inTurn<O extends SecretOutcome>(
    { decideByMs, signal, answers, mayLeave, commentReaches, lastWords, ...asked }: TerminalAsk,
    put: (context: PromptContext, ending: QuestionEnd) => Promise<O>,
  ): Promise<O | TerminalOutcome> {
    if (!usable) return { kind: 'undeliverable', reason: 'There is no terminal here to ask a person in.' }
    const ending = watchQuestionEnd(decideByMs, signal, now)
    const before = last
    const turn = Promise.withResolvers<void>()
    last = before.then(() => turn.promise)
    try {
      await Promise.race([before, ending.ended])
      if (ending.signal.aborted) return { kind: ending.why }
      const context = createPromptContext(input, output, {
        signal: ending.signal,
        settleMs,
        askedBy: shortNameOf(asked),
        ...compact({ patterns, answers, mayLeave, commentReaches }),
      })
      const outcome = await put(context, ending)
      const isOurs = outcome.kind === 'given' || lastWords === undefined
      writeClosingLine(context, isOurs ? closingLineFor(outcome) : await lastWords(outcome))
      return outcome
    } finally {
      ending.stop()
      turn.resolve()
    }
  }

  return {
    usable,
    ask: (question, ask = {}) =>
      inTurn(ask, async (context, ending) => {
        const asked = { ...ask, nowMs: now(), ...compact({ openLink }) }
        const put = (problem = ask.problem) =>
          putQuestion(context, question, problem === undefined ? asked : { ...asked, problem })
        const outcome = ask.isRelayed === true ? await put() : await withSecretsConfirmed(context, question, put)
        return outcomeOf(outcome, ending)
      }),
    askSecret: (message, ask = {}) =>
      inTurn<SecretOutcome>(ask, async (context, ending) => {
        const put = await putSecret(context, message, { ...ask, nowMs: now() })
        return 'secret' in put ? { kind: 'given', secret: put.secret } : outcomeOf(put, ending)
      }),
  }
}

function outcomeOf(put: PutOutcome, { why }: QuestionEnd): TerminalOutcome {
  if ('answer' in put) return { kind: 'answered', answer: put.answer }
  if ('refused' in put) return { kind: 'undeliverable', reason: put.refused }
  if (put.gone === 'taken-down') return { kind: why }
  if (put.gone === 'left') return { kind: 'left' }
  return { kind: 'undeliverable', reason: 'The terminal was closed before the question was answered.' }
}

function closingLineFor(outcome: SecretOutcome): string {
  switch (outcome.kind) {
    case 'given':
      return 'Sent. It was not stored here.'
    case 'expired':
      return 'Timed out without an answer.'
    case 'withdrawn':
      return 'No longer needed: the question was withdrawn.'
    case 'left':
      return 'Left open.'
    case 'undeliverable':
      return `Not asked. ${outcome.reason}`
    case 'answered':
      return answerWords[outcome.answer.action]
  }
}

const answerWords = {
  accept: 'Done. Your answer was sent.',
  decline: 'Declined.',
  cancel: 'Dismissed without a choice.',
} as const
