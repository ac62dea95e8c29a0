// Asks the fields of a form one after another. A form with several fields is reviewed as a whole before it is sent.

import { type Answer, checkAnswer, compact, type FieldValue, oneLine, type Question, visibleText } from '@assent/core'
import { decide, outcomeOfEnd, type QuestionOutcome } from './decide.ts'
import { askField } from './field.ts'
import { shownValue, titleOf } from './field-text.ts'
import { exitHints, keyHints } from './key-hints.ts'
import { ListPrompt } from './prompts/list.ts'
import { type PromptContext, runPrompt } from './prompts/run-prompt.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>
type Values = Map<string, FieldValue>

const titleMaxChars = 120

/** The lines above the fields: none if the message is the title of the only field. */
export function formHeader(question: FormQuestion): readonly string[] {
  return soleTitle(question) === undefined ? visibleText(question.message, 'terminal').split('\n') : []
}

/** With `apart`, the message is not used as a field's title: the caller has shown it as the asker's text. */
export async function putForm(
  context: PromptContext,
  question: FormQuestion,
  { apart = false } = {},
): Promise<QuestionOutcome> {
  const { fields } = question.form
  const values: Values = new Map()
  const sole = apart ? undefined : soleTitle(question)
  for (const [index, field] of fields.entries()) {
    const title = sole ?? numbered(titleOf(field), index, fields.length)
    const asked = await askField(context, field, { title, settle: index === 0 })
    if (!asked.ok) return outcomeOfEnd(asked.ended)
    setValue(values, field.name, asked.value.value)
  }
  if (fields.length === 1) return submit(context, question, values)
  return review(context, question, values)
}

async function review(context: PromptContext, question: FormQuestion, values: Values): Promise<QuestionOutcome> {
  while (true) {
    const decided = await decide(context, {
      title: question.form.fields.length === 0 ? 'Your answer' : 'Give these answers?',
      approve: { note: 'sends the answers above' },
      more: question.form.fields.length === 0 ? [] : [{ id: 'change', label: 'Change an answer', key: 'c' }],
    })
    if (!decided.ok) return outcomeOfEnd(decided.ended)
    if (decided.value === 'approve') return submit(context, question, values)
    if (decided.value === 'decline') return { answer: { action: 'decline' } }
    if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
    const ended = await change(context, question, values)
    if (ended !== undefined) return ended
  }
}

async function change(
  context: PromptContext,
  { form }: FormQuestion,
  values: Values,
): Promise<QuestionOutcome | undefined> {
  const picked = await runPrompt(
    context,
    (pen, streams) =>
      new ListPrompt(
        {
          title: 'Which one?',
          options: form.fields.map((field) => ({
            id: field.name,
            label: titleOf(field),
            note: shownValue(field, values.get(field.name)),
          })),
          keys: [keyHints.choose, ...exitHints(context)],
        },
        pen,
        streams,
      ),
  )
  if (!picked.ok) return outcomeOfEnd(picked.ended)
  const field = form.fields.find(({ name }) => name === picked.value[0])
  if (field === undefined) return undefined
  const before = values.get(field.name)
  const asked = await askField(context, field, { settle: false, ...compact({ before }) })
  if (!asked.ok) return outcomeOfEnd(asked.ended)
  setValue(values, field.name, asked.value.value)
  return undefined
}

function setValue(values: Values, name: string, value: FieldValue | undefined): void {
  if (value === undefined) values.delete(name)
  else values.set(name, value)
}

/** Checks the whole answer. Each field was validated when it was entered, so a failure here is a bug. */
function submit({ patterns }: PromptContext, question: FormQuestion, values: Values): QuestionOutcome {
  const answer: Answer = { action: 'accept', content: Object.fromEntries(values) }
  const judged = checkAnswer(question, answer, { patterns })
  if (judged.ok) return { answer: judged.answer }
  const why = judged.reason === 'invalid' ? judged.issues.map(({ message }) => message).join(' ') : judged.message
  throw new Error(`The terminal accepted an answer that does not fit its form: ${why}`)
}

function soleTitle({ message, form }: FormQuestion): string | undefined {
  const [field] = form.fields
  if (field === undefined || form.fields.length > 1) return undefined
  if (message.includes('\n') || message.length > titleMaxChars) return undefined
  return oneLine(message, 'terminal')
}

function numbered(title: string, index: number, count: number): string {
  return count === 1 ? title : `${title}  (${index + 1} of ${count})`
}
