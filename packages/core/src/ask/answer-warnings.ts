// Parts of an answer that look like a secret, which the person must confirm before it is sent.
//
// An answer reaches the asking server, and a comment is stored with the ask, so a key pasted into either would leak.
// Pure: each surface asks for confirmation in its own way.

import { isPlainObject } from '../json.ts'
import { looksLikeSecret, type SecretShape } from '../screen/secret-shapes.ts'
import type { Question } from './question.ts'

export interface AnswerWarning {
  /** The field's name, or `comment` for the comment beside the answer. */
  readonly in: { readonly field: string } | 'comment'
  readonly shape: SecretShape
  readonly message: string
}

const shapes: Readonly<Record<SecretShape, string>> = {
  'private-key': 'a private key',
  'web-token': 'an access token',
  'service-key': 'the key of a service',
  'url-with-password': 'a URL with a password',
  'card-number': 'a card number',
}

/** Empty for most answers. Accepts any value: one that is not an answer has no warnings. */
export function answerWarnings(question: Question, answer: unknown): readonly AnswerWarning[] {
  if (!isPlainObject(answer)) return []
  const shape = shapeOf(answer.comment)
  const inComment = shape === undefined ? [] : [warning('comment', 'The comment', shape)]
  return [...fieldWarnings(question, answer), ...inComment]
}

function fieldWarnings(question: Question, answer: Readonly<Record<string, unknown>>): readonly AnswerWarning[] {
  if (question.kind !== 'form' || answer.action !== 'accept') return []
  const content = isPlainObject(answer.content) ? answer.content : {}
  return question.form.fields.flatMap(({ kind, name, title }) => {
    const isTyped = kind === 'text' || kind === 'list'
    const shape = isTyped && Object.hasOwn(content, name) ? shapeIn(content[name]) : undefined
    return shape === undefined ? [] : [warning({ field: name }, `“${title ?? name}”`, shape)]
  })
}

/** In a text, or in any text of a list. */
function shapeIn(value: unknown): SecretShape | undefined {
  if (!Array.isArray(value)) return shapeOf(value)
  return value.map(shapeOf).find((shape) => shape !== undefined)
}

function shapeOf(text: unknown): SecretShape | undefined {
  return typeof text === 'string' ? looksLikeSecret(text) : undefined
}

function warning(where: AnswerWarning['in'], subject: string, shape: SecretShape): AnswerWarning {
  return { in: where, shape, message: `${subject} looks like ${shapes[shape]}.` }
}
