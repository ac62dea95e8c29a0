// The approval of one exact action: drawn from the action itself, with the asker's claim set apart.

import { actionDigest, askLimits, oneLine, type Question, visibleText } from '@assent/core'
import { actionLines, shortDigest, wholeAction } from './action-lines.ts'
import { decide, outcomeOfEnd, type QuestionOutcome } from './decide.ts'
import type { Pen } from './pen.ts'
import { linePrompt } from './prompts/line.ts'
import { type PromptContext, runPrompt } from './prompts/run-prompt.ts'

type ApprovalQuestion = Extract<Question, { kind: 'approval' }>

/** Undefined if the drawn action differs from the action to approve: then the question is not asked. */
export function approvalHeader(question: ApprovalQuestion, by: string, pen: Pen): readonly string[] | undefined {
  if (actionDigest(question.action) !== question.digest) return undefined
  const { server, tool } = question.action
  return [
    pen.paint('bold', oneLine(question.title, 'terminal')),
    '',
    ...actionLines(question.action).lines.map((line) => `  ${line}`),
    '',
    pen.paint(
      'dim',
      `calls ${oneLine(tool, 'terminal')} on ${oneLine(server, 'terminal')} · digest ${shortDigest(question.digest)}`,
    ),
    ...claimLines(question.claim, by, pen),
  ]
}

export function putApproval(context: PromptContext, { action }: ApprovalQuestion): Promise<QuestionOutcome> {
  return putApprovable(context, actionLines(action).cut ? () => wholeAction(action) : undefined)
}

/** The decision itself; `whole` gives the lines of what did not fit above. */
export async function putApprovable(
  context: PromptContext,
  whole: (() => readonly string[]) | undefined,
): Promise<QuestionOutcome> {
  while (true) {
    const decided = await decide(context, {
      title: 'Your decision',
      approve: { note: 'exactly this, once' },
      more: whole !== undefined ? [{ id: 'whole', label: 'Show all of it', key: 's' }] : [],
    })
    if (!decided.ok) return outcomeOfEnd(decided.ended)
    if (decided.value === 'approve') return { answer: { action: 'accept' } }
    if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
    if (decided.value === 'decline') return decline(context)
    context.pen.write(context.pen.rail(['', ...(whole?.() ?? [])]))
  }
}

/** The decline counts from here on; only its reason is asked for. */
async function decline(context: PromptContext): Promise<QuestionOutcome> {
  const isSent = context.commentReaches === 'asker'
  const reader = isSent ? `Sent to ${context.askedBy}.` : 'Not sent to the agent; kept in the audit log.'
  const prompted = await runPrompt<string>(context, (pen, streams) =>
    linePrompt(
      {
        title: 'Why? (optional)',
        help: `${reader} Enter alone gives no reason.`,
        keys: ['enter declines'],
        problem: (line) =>
          line.length > askLimits.commentChars ? `Enter at most ${askLimits.commentChars} characters.` : undefined,
        shown: (line) => (line.trim() === '' ? 'no reason given' : line),
      },
      pen,
      streams,
    ),
  )
  const comment = prompted.ok ? prompted.value.trim() : ''
  return { answer: comment === '' ? { action: 'decline' } : { action: 'decline', comment } }
}

/** The asker's claim, in the words of the web inbox; every line starts with a sign that marks it as a claim. */
export function claimLines(claim: string | undefined, by: string, pen: Pen): readonly string[] {
  if (claim === undefined || claim === '') return []
  const lines = visibleText(claim, 'terminal', { maxChars: askLimits.messageChars }).split('\n')
  return [
    '',
    pen.paint('dim', `${by} says (not checked by Assent)`),
    ...lines.map((line) => `${pen.paint('dim', pen.signs.claim)} ${line}`),
  ]
}
