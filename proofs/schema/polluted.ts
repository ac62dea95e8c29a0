// Runs the validator while Object.prototype and Array.prototype have exactly the members that a schema or an answer lacks.
//
// Other code in a process may have polluted them. An answer without its required field must not become a yes because every
// object now inherits that field. Bounds are not polluted here: an inherited bound could only make the validator refuse
// more.
import type { SeededRandom } from '../../test-kit/random.ts'
import { formPlan, goodAnswer } from './case.ts'
import type { Watch } from './judge.ts'

const schemaWords = [
  { type: 'object', properties: {} },
  { type: 'string', enum: ['a'] },
  { type: 'boolean', items: { type: 'string', enum: ['a'] }, const: 'a' },
]

export function onPollutedPrototypes(random: SeededRandom, watch: Watch): void {
  const plan = formPlan(random)
  const answer = goodAnswer(random, plan)
  const needed = plan.required.filter((name) => plan.fields.get(name)?.takesNull !== true)
  const lacking = needed.filter((name) => !(name in Object.prototype) && !(name in []))
  const inherited = { ...pick(answer, lacking), ...random.pick(schemaWords) }

  withInherited(inherited, () => {
    const form = watch.goodSchema(plan)
    watch.schema('schema that inherits', { properties: {} }, false)
    watch.schema('schema that inherits', { type: 'object' }, false)
    watch.schema('schema that inherits', { type: 'object', properties: { a: {} } }, false)
    watch.schema('schema that inherits', { type: 'object', properties: { a: { type: 'array' } } }, false)
    watch.schema(
      'schema that inherits',
      { type: 'object', properties: { a: { type: 'string', enum: new Array(1) } } },
      false,
    )
    watch.schema('schema that inherits', { type: 'object', properties: { a: { type: 'string', oneOf: [{}] } } }, false)
    if (form === undefined) return
    watch.goodAnswer(form, answer)
    if (lacking.length > 0) watch.answer('answer that inherits', form, without(answer, lacking), false)
    watch.answer('answer that inherits', form, {}, false)
    watch.answer('answer that inherits', form, undefined, false)
  })
  watch.checkPrototypes()
}

function withInherited(values: Record<string, unknown>, judge: () => void): void {
  const lists = Array.prototype as unknown[]
  Object.assign(Object.prototype, values)
  lists[0] = 'a'
  try {
    judge()
  } finally {
    // Array.prototype is itself an array, so its length has changed.
    Array.prototype.length = 0
    for (const name of Object.keys(values)) Reflect.deleteProperty(Object.prototype, name)
  }
}

function pick(answer: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, answer[name]]))
}

function without(answer: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)))
}
