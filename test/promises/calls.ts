// Parses calls such as `test.skipIf(slow).each(cases)('[ASK-4] …')`: the function, its modifiers and the title.
//
// Knows vitest's API, not promises.
import type { CallExpression, Span } from 'oxc-parser'
import { constantText } from '../boundaries/reaches.ts'

interface Node extends Span {
  readonly type: string
  readonly [field: string]: unknown
}

/** `test.skip.each` has the root `test` and the modifiers `skip` and `each`. */
export interface Callee {
  readonly root: string
  readonly modifiers: readonly string[]
}

const showsNothing = ['skip', 'todo', 'fails']
/** These return the function that takes the title; their own arguments do not contain it. */
const takesTitleLater = ['each', 'for', 'skipIf', 'runIf', 'extend']

export function calleeOf(value: unknown): Callee | null {
  if (!isNode(value)) return null
  if (value.type === 'Identifier') return { root: String(value.name), modifiers: [] }
  if (value.type === 'CallExpression') return calleeOf(value.callee)
  if (value.type === 'TaggedTemplateExpression') return calleeOf(value.tag)
  if (value.type === 'ParenthesizedExpression') return calleeOf(value.expression)
  if (value.type !== 'MemberExpression' || !isNode(value.property)) return null
  const inner = calleeOf(value.object)
  return inner && { ...inner, modifiers: [...inner.modifiers, String(value.property.name)] }
}

/** `test.each(cases)` declares no test; calling its result does. */
export function takesNoTitle({ callee }: CallExpression, { modifiers }: Callee): boolean {
  return callee.type === 'MemberExpression' && takesTitleLater.includes(modifiers.at(-1) ?? '')
}

/** Skipped, still to do, or expected to fail: by a modifier, or by an option such as `{ skip: true }`. */
export function isSilent(call: CallExpression, { modifiers }: Callee): boolean {
  if (modifiers.some((name) => showsNothing.includes(name))) return true
  return call.arguments.some(
    (argument) =>
      argument.type === 'ObjectExpression' &&
      argument.properties.some(
        (property) =>
          property.type === 'Property' &&
          property.key.type === 'Identifier' &&
          showsNothing.includes(property.key.name) &&
          !(property.value.type === 'Literal' && property.value.value === false),
      ),
  )
}

/** The constant beginning of the title; null if the title starts with a computed part. */
export function beginningOf(title: unknown): string | null {
  const whole = constantText(title)
  if (whole !== null || !isNode(title)) return whole
  if (title.type === 'BinaryExpression' && title.operator === '+') return beginningOf(title.left)
  const [text, first] = templateStart(title)
  return text === '' && first !== undefined ? null : (text ?? null)
}

/** The variable that a title starts with, or null. */
export function variableAtStartOf(title: unknown): string | null {
  if (!isNode(title)) return null
  if (title.type === 'Identifier') return String(title.name)
  if (title.type === 'BinaryExpression' && title.operator === '+') return variableAtStartOf(title.left)
  const [text, first] = templateStart(title)
  return text === '' ? variableAtStartOf(first) : null
}

function templateStart({ type, quasis, expressions }: Node): [text?: string, first?: unknown] {
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis) || !Array.isArray(expressions)) return []
  return [quasis[0].value.cooked, expressions[0]]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
