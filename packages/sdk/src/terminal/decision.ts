// An approval that came as a form, because a form was all there was to carry it: drawn as one.
//
// What will happen is what we know for certain: the call that waits, with its arguments. What the asker says about it is
// set apart.

import { approved, oneLine, type Question } from '@assent/core'
import { actionLines, wholeAction } from './action-lines.ts'
import { claimLines, putApprovable } from './approval.ts'
import type { Settled } from './decide.ts'
import type { Pen } from './pen.ts'
import type { Desk } from './prompts/run-prompt.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>

export function decisionHeader({ call, message }: FormQuestion, pen: Pen): readonly string[] {
  if (call === undefined) return claimLines(message, pen).slice(1)
  const given =
    call.arguments === undefined ? ['too large to be shown here'] : actionLines({ arguments: call.arguments }).lines
  return [
    pen.paint('bold', `Let ${oneLine(call.tool, 'terminal')} go on`),
    '',
    ...given.map((line) => `  ${line}`),
    ...claimLines(message, pen),
  ]
}

export async function putDecision(desk: Desk, { call }: FormQuestion): Promise<Settled> {
  const given = call?.arguments
  const cut = given !== undefined && actionLines({ arguments: given }).cut
  const settled = await putApprovable(desk, cut ? () => wholeAction(given) : undefined)
  if (!('answer' in settled) || settled.answer.action !== 'accept') return settled
  return { answer: { action: 'accept', content: approved } }
}
