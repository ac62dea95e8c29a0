// One question from its first line to its last: who asks, what is asked, the prompts, and how it ended.

import { isAssentError, isDecision, oneLine, type Question, visibleText, withoutChecked } from '@assent/core'
import { approvalHeader, claimLines, putApproval } from './approval.ts'
import { callLines, oneOfLines } from './call-lines.ts'
import { endedBy, type Settled } from './decide.ts'
import { confirmHeader, decisionHeader, putDecision } from './decision.ts'
import { formHeader, putForm } from './form.ts'
import { badLinkHeader, linkHeader, type OpenLink, putBadLink, putLink, screenLink } from './link.ts'
import type { Pen } from './pen.ts'
import { linePrompt } from './prompts/line.ts'
import { type Desk, runPrompt } from './prompts/run-prompt.ts'
import { clockTime, keyWords, leaving } from './words.ts'

export interface Asked {
  /** From our configuration, never from what they call themselves. */
  readonly asker?: { readonly server: string; readonly tool?: string }
  /** When silence becomes a no. */
  readonly decideByMs?: number
  /** Why it is asked. */
  readonly reason?: string
  readonly cannotBeUndone?: boolean
  /** What was wrong with the answer before, when it is asked again. */
  readonly problem?: string
  /** What we know about it, line by line: for whom it is, who has voted. */
  readonly standing?: readonly string[]
  /**
   * Somebody else's question, which the terminal only shows: whatever the asker says is set apart as its words, and one
   * that is not safe to approve can still be declined.
   */
  readonly isOfOthers?: boolean
}

export type PutOutcome = Settled | { readonly refused: string }

export async function putQuestion(
  desk: Desk,
  question: Question,
  asked: Asked & { readonly nowMs: number; readonly openLink?: OpenLink },
): Promise<PutOutcome> {
  switch (question.kind) {
    case 'form':
      if (asked.isOfOthers === true && isDecision(question.form) && question.oneOf === undefined) {
        begin(desk, asked, 'needs your approval', decisionHeader(question, desk.pen))
        return putDecision(desk, question)
      }
      if (asked.isOfOthers === true && question.form.fields.length === 0) {
        const server = asked.asker?.server ?? 'A server'
        begin(desk, asked, 'needs your approval', [
          ...confirmHeader(question, server, desk.pen),
          ...oneOfLines(question.oneOf, server, desk.pen),
        ])
        return putDecision(desk, question)
      }
      begin(desk, asked, 'asks', asked.isOfOthers ? othersHeader(question, asked, desk.pen) : formHeader(question))
      return putForm(desk, question, { apart: asked.isOfOthers === true })
    case 'approval': {
      const header = drawable(() => approvalHeader(question, desk.pen))
      if (header === undefined) return { refused: 'The action to approve is not the one its digest names.' }
      begin(desk, asked, 'wants to act', header)
      return putApproval(desk, question)
    }
    case 'url': {
      const link = screenLink(question)
      if (!link.ok && asked.isOfOthers !== true) return { refused: link.reason }
      if (!link.ok) {
        const header = [...badLinkHeader(question, link.reason, desk.pen), ...callIn(question, asked, desk.pen)]
        begin(desk, asked, 'asks you to open a link', header)
        return putBadLink(desk)
      }
      const header = [...linkHeader(question, link, desk.pen), ...callIn(question, asked, desk.pen)]
      begin(desk, asked, 'asks you to open a link', header)
      return putLink(desk, link, asked.openLink)
    }
  }
}

type Called = Exclude<Question, { kind: 'approval' }>

function callIn({ call, oneOf }: Called, { asker }: Asked, pen: Pen): readonly string[] {
  return [...callLines(call, asker?.server, pen), ...oneOfLines(oneOf, asker?.server, pen)]
}

/** What Assent checked, then what the asker wrote, then the call. */
function othersHeader(question: Question & { kind: 'form' }, asked: Asked, pen: Pen): readonly string[] {
  const { message, checked } = question
  const call = callIn(question, asked, pen)
  const rest = checked === undefined ? undefined : withoutChecked(message, checked)
  if (checked === undefined || rest === undefined) return [...claimLines(message, pen).slice(1), ...call]
  return [
    pen.paint('bold', 'Checked by Assent'),
    ...visibleText(checked, 'terminal').split('\n'),
    ...claimLines(rest, pen),
    ...call,
  ]
}

export type PutSecret = Exclude<PutOutcome, { readonly refused: string }> | { readonly secret: string }

export async function putSecret(
  desk: Desk,
  message: string,
  asked: Asked & { readonly nowMs: number },
): Promise<PutSecret> {
  begin(desk, asked, 'asks for a secret', visibleText(message, 'terminal').split('\n'))
  const prompted = await runPrompt<string>(
    desk,
    (pen, streams) =>
      linePrompt(
        {
          title: 'Secret',
          help: 'It is not shown, and goes to the asker alone.',
          secret: true,
          keys: [keyWords.answer, ...leaving(desk)],
          problem: (line) => (line === '' ? 'Nothing was typed yet.' : undefined),
        },
        pen,
        streams,
      ),
    { settle: true },
  )
  return prompted.ok ? { secret: prompted.value } : endedBy(prompted.ended)
}

/** The last line, in words about what the asker was told. */
export function close({ pen }: Desk, words: string): void {
  pen.write([pen.paint('dim', pen.signs.bar), `${pen.paint('dim', pen.signs.end)}  ${words}`, ''])
}

function begin({ pen }: Desk, asked: Asked & { readonly nowMs: number }, does: string, lines: readonly string[]): void {
  const below = [...lines, ...notes(asked, pen)]
  pen.write([
    `${pen.paint('dim', pen.signs.begin)}  ${pen.paint('bold', nameOf(asked))} ${does}${until(asked, pen)}`,
    ...(below.length === 0 ? [] : pen.rail(['', ...below])),
  ])
}

function nameOf({ asker }: Asked): string {
  if (asker === undefined) return 'This tool'
  const names = asker.tool === undefined || asker.tool === asker.server ? [asker.server] : [asker.server, asker.tool]
  return names.map((name) => oneLine(name, 'terminal')).join(' · ')
}

function until({ decideByMs, nowMs }: Asked & { readonly nowMs: number }, pen: Pen): string {
  return decideByMs === undefined ? '' : pen.paint('dim', `  expires at ${clockTime(decideByMs, nowMs)}`)
}

function notes({ reason, cannotBeUndone = false, problem, standing = [] }: Asked, pen: Pen): readonly string[] {
  const because = reason === undefined ? [] : visibleText(reason, 'terminal').split('\n')
  return [
    ...because.map((line, index) => `${index === 0 ? pen.paint('dim', 'why  ') : '     '}${line}`),
    ...(standing.length === 0 ? [] : ['', ...standing.map((line) => pen.paint('dim', oneLine(line, 'terminal')))]),
    ...(cannotBeUndone ? [`${pen.paint('yellow', pen.signs.warning)} This cannot be undone.`] : []),
    ...(problem === undefined
      ? []
      : [`${pen.paint('yellow', pen.signs.warning)} Asked again: ${oneLine(problem, 'terminal')}`]),
  ]
}

/** An action that cannot even be named is refused like one that is named wrongly. */
function drawable<T>(draw: () => T): T | undefined {
  try {
    return draw()
  } catch (error) {
    if (isAssentError(error, 'not_canonical')) return undefined
    throw error
  }
}
