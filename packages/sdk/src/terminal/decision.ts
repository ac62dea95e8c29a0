// An approval that was sent as a form, because the protocol has only forms: drawn as an approval.
//
// It shows what is certain: the call that waits, with its arguments. The asker's text about it is
// set apart.

import { approved, oneLine, type Question } from '@assent/core'
import { claimLines, putApprovable } from './approval.ts'
import { argumentLines, wholeCall } from './call-lines.ts'
import type { QuestionOutcome } from './decide.ts'
import type { Pen } from './pen.ts'
import type { PromptContext } from './prompts/run-prompt.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>

export function decisionHeader({ call, message }: FormQuestion, pen: Pen): readonly string[] {
  if (call === undefined) return claimLines(message, pen).slice(1)
  return [
    pen.paint('bold', `Let ${oneLine(call.tool, 'terminal')} continue`),
    '',
    ...argumentLines(call).map((line) => `  ${line}`),
    ...claimLines(message, pen),
  ]
}

/** For a form without fields: the title is our own, because a yes to it approves the call. */
export function confirmHeader({ call, message }: FormQuestion, server: string, pen: Pen): readonly string[] {
  const what = call === undefined ? '' : `: ${oneLine(call.tool, 'terminal')}`
  return [
    pen.paint('bold', `${oneLine(server, 'terminal')} asks you to confirm${what}`),
    ...(call === undefined ? [] : ['', ...argumentLines(call).map((line) => `  ${line}`)]),
    ...claimLines(message, pen),
  ]
}

/** A form without fields is accepted with empty content, our decision form with the decision "approve". */
export async function putDecision(context: PromptContext, { call, form }: FormQuestion): Promise<QuestionOutcome> {
  const settled = await putApprovable(context, wholeCall(call))
  if (!('answer' in settled) || settled.answer.action !== 'accept') return settled
  return { answer: { action: 'accept', content: form.fields.length === 0 ? {} : approved } }
}
