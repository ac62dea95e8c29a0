// One question from its first line to its last: who asks, what is asked, the prompts, and how it ended.

import { isAssentError, isDecision, oneLine, type Question, visibleText, withoutChecked } from '@assent/core'
import { approvalHeader, claimLines, putApproval } from './approval.ts'
import { callLines, oneOfLines } from './call-lines.ts'
import { outcomeOfEnd, type QuestionOutcome } from './decide.ts'
import { confirmHeader, decisionHeader, putDecision } from './decision.ts'
import { formHeader, putForm } from './form.ts'
import { clockTime, exitHints, keyHints } from './key-hints.ts'
import { badLinkHeader, linkHeader, type OpenLink, putBadLink, putLink, screenLink } from './link.ts'
import type { Pen } from './pen.ts'
import { linePrompt } from './prompts/line.ts'
import { type PromptContext, runPrompt } from './prompts/run-prompt.ts'

export interface QuestionContext {
  /** The name from our configuration, never the one that the server claims. */
  readonly asker?: { readonly server: string; readonly tool?: string }
  /** Who asks as people know them: in the first line, and in one or two words. By default the asker's names. */
  readonly askedBy?: { readonly full: string; readonly short: string }
  /** What a person must know before a yes, such as that it cannot be undone according to the server. */
  readonly warning?: string
  /** The deadline: without an answer by then, the question expires. */
  readonly decideByMs?: number
  /** Why it is asked. */
  readonly reason?: string
  readonly cannotBeUndone?: boolean
  /** The problem of the previous answer, when the question is asked again. */
  readonly problem?: string
  /** What we know about it, line by line: for whom it is, who has voted. */
  readonly statusLines?: readonly string[]
  /**
   * A question of another server, which the terminal only shows: the asker's text is marked as its claim, and one
   * that is not safe to approve can still be declined.
   */
  readonly isRelayed?: boolean
}

export type PutOutcome = QuestionOutcome | { readonly refused: string }

export async function putQuestion(
  context: PromptContext,
  question: Question,
  asked: QuestionContext & { readonly nowMs: number; readonly openLink?: OpenLink },
): Promise<PutOutcome> {
  switch (question.kind) {
    case 'form':
      if (asked.isRelayed === true && isDecision(question.form) && question.oneOf === undefined) {
        begin(context, asked, 'asks for your approval', decisionHeader(question, context.askedBy, context.pen))
        return putDecision(context, question)
      }
      if (asked.isRelayed === true && question.form.fields.length === 0) {
        const server = asked.asker?.server ?? 'A server'
        begin(context, asked, 'asks for your approval', [
          ...confirmHeader(question, context.askedBy, context.pen),
          ...oneOfLines(question.oneOf, server, context.pen),
        ])
        return putDecision(context, question)
      }
      begin(
        context,
        asked,
        'has a question',
        asked.isRelayed ? relayedHeader(question, asked, context) : formHeader(question),
      )
      return putForm(context, question, { apart: asked.isRelayed === true })
    case 'approval': {
      const header = drawable(() => approvalHeader(question, context.askedBy, context.pen))
      if (header === undefined) return { refused: 'The action to approve does not match its digest.' }
      begin(context, asked, question.policies === undefined ? 'asks for your approval' : 'needs approval', header)
      return putApproval(context, question)
    }
    case 'url': {
      const link = screenLink(question)
      if (!link.ok && asked.isRelayed !== true) return { refused: link.reason }
      if (!link.ok) {
        const header = [
          ...badLinkHeader(question, link.reason, context.askedBy, context.pen),
          ...callIn(question, asked, context.pen),
        ]
        begin(context, asked, 'asks you to open a page', header)
        return putBadLink(context)
      }
      const header = [...linkHeader(question, link, context.pen), ...callIn(question, asked, context.pen)]
      begin(context, asked, 'asks you to open a page', header)
      return putLink(context, link, asked.openLink)
    }
  }
}

type Called = Exclude<Question, { kind: 'approval' }>

function callIn({ call, oneOf }: Called, { asker }: QuestionContext, pen: Pen): readonly string[] {
  return [...callLines(call, asker?.server, pen), ...oneOfLines(oneOf, asker?.server, pen)]
}

/** What Assent checked, then what the asker wrote, then the call. */
function relayedHeader(
  question: Question & { kind: 'form' },
  asked: QuestionContext,
  { pen, askedBy }: PromptContext,
): readonly string[] {
  const { message, checked } = question
  const call = callIn(question, asked, pen)
  const rest = checked === undefined ? undefined : withoutChecked(message, checked)
  if (checked === undefined || rest === undefined) return [...claimLines(message, askedBy, pen).slice(1), ...call]
  return [
    pen.paint('bold', 'Checked by Assent'),
    ...visibleText(checked, 'terminal').split('\n'),
    ...claimLines(rest, askedBy, pen),
    ...call,
  ]
}

export type PutSecret = Exclude<PutOutcome, { readonly refused: string }> | { readonly secret: string }

export async function putSecret(
  context: PromptContext,
  message: string,
  asked: QuestionContext & { readonly nowMs: number },
): Promise<PutSecret> {
  begin(context, asked, 'asks for a secret', visibleText(message, 'terminal').split('\n'))
  const prompted = await runPrompt<string>(
    context,
    (pen, streams) =>
      linePrompt(
        {
          title: 'Secret',
          help: `It is not shown, and is sent only to ${context.askedBy}.`,
          secret: true,
          keys: [keyHints.answer, ...exitHints(context)],
          problem: (line) => (line === '' ? 'Nothing was typed yet.' : undefined),
        },
        pen,
        streams,
      ),
    { settle: true },
  )
  return prompted.ok ? { secret: prompted.value } : outcomeOfEnd(prompted.ended)
}

/** The closing line, which states the outcome. */
export function writeClosingLine({ pen }: PromptContext, words: string): void {
  pen.write([pen.paint('dim', pen.signs.bar), `${pen.paint('dim', pen.signs.end)}  ${words}`, ''])
}

function begin(
  { pen }: PromptContext,
  asked: QuestionContext & { readonly nowMs: number },
  verb: string,
  lines: readonly string[],
): void {
  const below = [...lines, ...notes(asked, pen)]
  pen.write([
    `${pen.paint('dim', pen.signs.begin)}  ${pen.paint('bold', nameOf(asked))} ${verb}${until(asked, pen)}`,
    ...(below.length === 0 ? [] : pen.rail(['', ...below])),
  ])
}

/** Who asks, in one or two words. Escaped. */
export function shortNameOf({ asker, askedBy }: Pick<QuestionContext, 'asker' | 'askedBy'>): string {
  return oneLine(askedBy?.short ?? asker?.server ?? 'This tool', 'terminal')
}

function nameOf({ asker, askedBy }: QuestionContext): string {
  if (askedBy !== undefined) return oneLine(askedBy.full, 'terminal')
  if (asker === undefined) return 'This tool'
  const names = asker.tool === undefined || asker.tool === asker.server ? [asker.server] : [asker.server, asker.tool]
  return names.map((name) => oneLine(name, 'terminal')).join(' · ')
}

function until({ decideByMs, nowMs }: QuestionContext & { readonly nowMs: number }, pen: Pen): string {
  return decideByMs === undefined ? '' : pen.paint('dim', `  expires at ${clockTime(decideByMs, nowMs)}`)
}

function notes(
  { reason, cannotBeUndone = false, warning, problem, statusLines: status = [] }: QuestionContext,
  pen: Pen,
): readonly string[] {
  const because = reason === undefined ? [] : visibleText(reason, 'terminal').split('\n')
  return [
    ...because.map((line, index) => `${index === 0 ? pen.paint('dim', 'why  ') : '     '}${line}`),
    ...(status.length === 0 ? [] : ['', ...status.map((line) => pen.paint('dim', oneLine(line, 'terminal')))]),
    ...(cannotBeUndone ? [`${pen.paint('yellow', pen.signs.warning)} This cannot be undone.`] : []),
    ...(warning === undefined ? [] : [`${pen.paint('yellow', pen.signs.warning)} ${oneLine(warning, 'terminal')}`]),
    ...(problem === undefined
      ? []
      : [`${pen.paint('yellow', pen.signs.warning)} Asked again: ${oneLine(problem, 'terminal')}`]),
  ]
}

/** An action without canonical JSON has no digest; it is refused like one whose digest does not match. */
function drawable<T>(draw: () => T): T | undefined {
  try {
    return draw()
  } catch (error) {
    if (isAssentError(error, 'not_canonical')) return undefined
    throw error
  }
}
