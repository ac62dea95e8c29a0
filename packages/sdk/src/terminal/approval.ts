// The approval of one exact action: drawn by us from the action, with what the asker says set apart as a claim.

import { actionDigest, askLimits, oneLine, type Question, visibleText } from '@assent/core'
import { actionLines, shortDigest, wholeAction } from './action-lines.ts'
import { decide, endedBy, type Settled } from './decide.ts'
import { terminalLimits } from './limits.ts'
import type { Pen } from './pen.ts'
import { linePrompt } from './prompts/line.ts'
import { type Desk, runPrompt } from './prompts/run-prompt.ts'

type ApprovalQuestion = Extract<Question, { kind: 'approval' }>

/** Undefined when what would be drawn is not what would be approved: then nobody is asked. */
export function approvalHeader(question: ApprovalQuestion, pen: Pen): readonly string[] | undefined {
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
    ...claimLines(question.claim, pen),
  ]
}

export function putApproval(desk: Desk, { action }: ApprovalQuestion): Promise<Settled> {
  return putApprovable(desk, actionLines(action).cut ? () => wholeAction(action) : undefined)
}

/** The decision itself; `whole` gives the lines of what did not fit above. */
export async function putApprovable(desk: Desk, whole: (() => readonly string[]) | undefined): Promise<Settled> {
  while (true) {
    const decided = await decide(desk, {
      title: 'Your decision',
      approve: { note: 'exactly this, once' },
      more: whole !== undefined ? [{ id: 'whole', label: 'Show all of it', key: 's' }] : [],
    })
    if (!decided.ok) return endedBy(decided.ended)
    if (decided.value === 'approve') return { answer: { action: 'accept' } }
    if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
    if (decided.value === 'decline') return decline(desk)
    desk.pen.write(desk.pen.rail(['', ...(whole?.() ?? [])]))
  }
}

const readers = { asker: 'Sent to the asker.', 'audit-log': 'Saved in the audit log only.' } as const

/** A no stands from here on; only its reason is still open. */
async function decline(desk: Desk): Promise<Settled> {
  const prompted = await runPrompt<string>(desk, (pen, streams) =>
    linePrompt(
      {
        title: 'Why? (optional)',
        help: `${readers[desk.commentReaches]} Enter alone gives no reason.`,
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

/** What the asker says, behind a sign of ours that none of its lines can be without. */
export function claimLines(claim: string | undefined, pen: Pen): readonly string[] {
  if (claim === undefined || claim === '') return []
  const lines = visibleText(claim, 'terminal', { maxChars: terminalLimits.claimChars }).split('\n')
  return [
    '',
    pen.paint('dim', 'the asker says'),
    ...lines.map((line) => `${pen.paint('dim', pen.signs.claim)} ${line}`),
  ]
}
