// An approval that came as a form, because a form was all there was to carry it: drawn as one.
//
// What will happen is what we know for certain: the call that waits, with its arguments. What the asker says about it is
// set apart.

import { approved, oneLine, type Question } from '@assent/core'
import { claimLines, putApprovable } from './approval.ts'
import { argumentLines, wholeCall } from './call-lines.ts'
import type { Settled } from './decide.ts'
import type { Pen } from './pen.ts'
import type { Desk } from './prompts/run-prompt.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>

export function decisionHeader({ call, message }: FormQuestion, pen: Pen): readonly string[] {
  if (call === undefined) return claimLines(message, pen).slice(1)
  return [
    pen.paint('bold', `Let ${oneLine(call.tool, 'terminal')} go on`),
    '',
    ...argumentLines(call).map((line) => `  ${line}`),
    ...claimLines(message, pen),
  ]
}

/** Of a form without fields: the title is ours, because a yes to it approves the call. */
export function confirmHeader({ call, message }: FormQuestion, server: string, pen: Pen): readonly string[] {
  const what = call === undefined ? '' : `: ${oneLine(call.tool, 'terminal')}`
  return [
    pen.paint('bold', `${oneLine(server, 'terminal')} asks you to confirm${what}`),
    ...(call === undefined ? [] : ['', ...argumentLines(call).map((line) => `  ${line}`)]),
    ...claimLines(message, pen),
  ]
}

/** A form without fields is accepted with empty content, our decision form with its word for yes. */
export async function putDecision(desk: Desk, { call, form }: FormQuestion): Promise<Settled> {
  const settled = await putApprovable(desk, wholeCall(call))
  if (!('answer' in settled) || settled.answer.action !== 'accept') return settled
  return { answer: { action: 'accept', content: form.fields.length === 0 ? {} : approved } }
}
