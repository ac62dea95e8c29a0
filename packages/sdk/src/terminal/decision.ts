// An approval that was sent as a form, because the protocol has only forms: drawn as an approval.
//
// It shows what is certain: the call that waits, with its arguments. The asker's text about it is
// set apart.

import { approved, type DeclaredAction, oneLine, type Question } from '@assent/core'
import { actionLines, shortDigest, wholeAction } from './action-lines.ts'
import { claimLines, putApprovable } from './approval.ts'
import { argumentLines, wholeCall } from './call-lines.ts'
import type { QuestionOutcome } from './decide.ts'
import type { Pen } from './pen.ts'
import type { PromptContext } from './prompts/run-prompt.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>

export function decisionHeader(question: FormQuestion, by: string, pen: Pen): readonly string[] {
  const { call, message, declared } = question
  if (declared !== undefined) return declaredHeader(declared, by, pen)
  if (call === undefined) return claimLines(message, by, pen).slice(1)
  return [
    pen.paint('bold', `Let ${oneLine(call.tool, 'terminal')} continue`),
    '',
    ...argumentLines(call).map((line) => `  ${line}`),
    ...claimLines(message, by, pen),
  ]
}

/** The action that the server declares, drawn from the bytes that its digest covers. */
function declaredHeader(declared: DeclaredAction, by: string, pen: Pen): readonly string[] {
  const { title, action, digest, claim, reason } = declared
  return [
    pen.paint('bold', oneLine(title, 'terminal')),
    '',
    ...actionLines(action).lines.map((line) => `  ${line}`),
    '',
    pen.paint('dim', `calls ${oneLine(action.tool, 'terminal')} on ${by} · digest ${shortDigest(digest)}`),
    ...declaredBy(by, Object.keys(action.arguments).length > 0).map((line) => pen.paint('dim', line)),
    ...claimLines(
      [claim ?? '', reason === undefined ? '' : `Why: ${reason}`].filter((text) => text !== '').join('\n'),
      by,
      pen,
    ),
  ]
}

/** As on the card of the web inbox, on two lines. */
function declaredBy(server: string, hasArguments: boolean): readonly string[] {
  return hasArguments
    ? [`${server} set these values.`, 'Your approval is valid only for exactly these values.']
    : [`${server} declared this call.`, 'Your approval is valid only for exactly this call.']
}

/** For a form without fields: the title is our own, because a yes to it approves the call. */
export function confirmHeader({ call, message }: FormQuestion, by: string, pen: Pen): readonly string[] {
  const what = call === undefined ? '' : `: ${oneLine(call.tool, 'terminal')}`
  return [
    pen.paint('bold', `${by} asks you to confirm${what}`),
    ...(call === undefined ? [] : ['', ...argumentLines(call).map((line) => `  ${line}`)]),
    ...claimLines(message, by, pen),
  ]
}

/** A form without fields is accepted with empty content, our decision form with the decision "approve". */
export async function putDecision(
  context: PromptContext,
  { call, declared, form }: FormQuestion,
): Promise<QuestionOutcome> {
  const settled = await putApprovable(context, declared === undefined ? wholeCall(call) : wholeOf(declared))
  if (!('answer' in settled) || settled.answer.action !== 'accept') return settled
  return { answer: { action: 'accept', content: form.fields.length === 0 ? {} : approved } }
}

function wholeOf({ action }: DeclaredAction): (() => readonly string[]) | undefined {
  return actionLines(action).cut ? () => wholeAction(action) : undefined
}
