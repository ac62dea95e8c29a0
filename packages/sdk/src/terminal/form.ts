// A form, one field after the other, and at the end of a longer one a look at all of it before it is given.

import { type Answer, type FieldValue, judgeAnswer, oneLine, type Question, visibleText } from '@assent/core'
import { decide, endedBy, type Settled } from './decide.ts'
import { askField } from './field.ts'
import { shownValue, titleOf } from './field-words.ts'
import { ListPrompt } from './prompts/list.ts'
import { type Desk, runPrompt } from './prompts/run-prompt.ts'
import { keyWords, leaving } from './words.ts'

type FormQuestion = Extract<Question, { kind: 'form' }>
type Values = Map<string, FieldValue>

const titleMaxChars = 120

/** What stands above the fields: nothing where the message is the title of the only field. */
export function formHeader(question: FormQuestion): readonly string[] {
  return soleTitle(question) === undefined ? visibleText(question.message, 'terminal').split('\n') : []
}

/** With `apart`, the message is not the title of anything: it stands above, as the asker's own words. */
export async function putForm(desk: Desk, question: FormQuestion, { apart = false } = {}): Promise<Settled> {
  const { fields } = question.form
  const values: Values = new Map()
  const sole = apart ? undefined : soleTitle(question)
  for (const [index, field] of fields.entries()) {
    const title = sole ?? numbered(titleOf(field), index, fields.length)
    const asked = await askField(desk, field, { title, settle: index === 0 })
    if (!asked.ok) return endedBy(asked.ended)
    keep(values, field.name, asked.value.value)
  }
  if (fields.length === 1) return given(desk, question, values)
  return review(desk, question, values)
}

async function review(desk: Desk, question: FormQuestion, values: Values): Promise<Settled> {
  while (true) {
    const decided = await decide(desk, {
      title: question.form.fields.length === 0 ? 'Your answer' : 'Give these answers?',
      approve: { note: 'the asker gets what stands above' },
      more: question.form.fields.length === 0 ? [] : [{ id: 'change', label: 'Change an answer', key: 'c' }],
    })
    if (!decided.ok) return endedBy(decided.ended)
    if (decided.value === 'approve') return given(desk, question, values)
    if (decided.value === 'decline') return { answer: { action: 'decline' } }
    if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
    const ended = await change(desk, question, values)
    if (ended !== undefined) return ended
  }
}

async function change(desk: Desk, { form }: FormQuestion, values: Values): Promise<Settled | undefined> {
  const picked = await runPrompt(
    desk,
    (pen, streams) =>
      new ListPrompt(
        {
          title: 'Which one?',
          options: form.fields.map((field) => ({
            id: field.name,
            label: titleOf(field),
            note: shownValue(field, values.get(field.name)),
          })),
          keys: [keyWords.choose, ...leaving(desk)],
        },
        pen,
        streams,
      ),
  )
  if (!picked.ok) return endedBy(picked.ended)
  const field = form.fields.find(({ name }) => name === picked.value[0])
  if (field === undefined) return undefined
  const before = values.get(field.name)
  const asked = await askField(desk, field, { settle: false, ...(before === undefined ? {} : { before }) })
  if (!asked.ok) return endedBy(asked.ended)
  keep(values, field.name, asked.value.value)
  return undefined
}

function keep(values: Values, name: string, value: FieldValue | undefined): void {
  if (value === undefined) values.delete(name)
  else values.set(name, value)
}

/** Through the one door that every answer takes. Each field was judged on its way in, so a refusal is a mistake of ours. */
function given({ patterns }: Desk, question: FormQuestion, values: Values): Settled {
  const answer: Answer = { action: 'accept', content: Object.fromEntries(values) }
  const judged = judgeAnswer(question, answer, { patterns })
  if (judged.ok) return { answer: judged.answer }
  const why = judged.reason === 'invalid' ? judged.issues.map(({ message }) => message).join(' ') : judged.message
  throw new Error(`The terminal took an answer that does not fit its form: ${why}`)
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
