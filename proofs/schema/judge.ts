// Runs one case at a time through the validator and counts crashes, unexpected results, wrong verdicts and durations.
import { isDeepStrictEqual } from 'node:util'
import { checkContent } from '../../packages/core/src/form/check.ts'
import { encodeForm } from '../../packages/core/src/form/encode.ts'
import type { Field, Form } from '../../packages/core/src/form/form.ts'
import { readForm } from '../../packages/core/src/form/read.ts'
import { linearPatterns } from '../../packages/gateway/src/call/screen/patterns.ts'
import type { FormPlan } from './case.ts'
import { Durations, isPlainData, isUntouched, prototypes, timed } from './watch.ts'

/** Undefined if the right verdict is not known. */
type Expected = boolean | undefined

const shownFailures = 10

export class Watch {
  count = 0
  crashes = 0
  surprises = 0
  wrongVerdicts = 0
  slowestKind = ''
  readonly own = new Durations()
  readonly clock = new Durations()
  readonly kinds = new Map<string, number>()
  readonly #prototypes = prototypes()
  #shown = 0

  schema(kind: string, schema: unknown, expected: Expected): Form | undefined {
    const read = this.#judged(kind, schema, expected, () => readForm(schema, linearPatterns))
    if (!read?.ok) return undefined
    const encoded = encodeForm(read.form, '2025-11-25')
    const again = readForm(encoded.ok && encoded.schema, linearPatterns)
    const isSame =
      again.ok && again.isNonStandard !== true && isDeepStrictEqual(again.form, asClientsSee(read.form, again.form))
    if (!isSame) this.#wrong(`${kind}: does not read back the same`, schema)
    return read.form
  }

  answer(kind: string, form: Form, answer: unknown, expected: Expected) {
    return this.#judged(kind, answer, expected, () => checkContent(form, answer, { patterns: linearPatterns }))
  }

  goodSchema(plan: FormPlan): Form | undefined {
    const form = this.schema('valid schema', plan.schema, true)
    const read = form?.fields.map((field) => [field.name, field.required])
    const meant = Object.keys(plan.schema.properties as object).map((name) => [name, plan.required.includes(name)])
    if (!isDeepStrictEqual(read, meant)) this.#wrong('valid schema: read with other fields', plan.schema)
    return form
  }

  goodAnswer(form: Form, answer: Record<string, unknown>): void {
    const checked = this.answer('valid answer', form, answer, true)
    const given = form.fields.filter((field) => Object.hasOwn(answer, field.name) || (field.required && field.nullable))
    const content = checked?.ok ? Object.entries(checked.content) : undefined
    const meant = given.map(({ name }) => [name, Object.hasOwn(answer, name) ? answer[name] : null])
    if (!isDeepStrictEqual(content, meant)) this.#wrong('valid answer: read with other content', answer)
  }

  checkPrototypes(): void {
    if (isUntouched(this.#prototypes)) return
    this.surprises += 1
    this.#show('surprise', 'a prototype was changed')
  }

  #judged<R extends { readonly ok: boolean }>(kind: string, input: unknown, expected: Expected, judge: () => R) {
    const { result, clockMs, ownMs } = timed(() => attempt(judge))

    this.count += 1
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    if (ownMs > this.own.slowestMs) this.slowestKind = kind
    this.own.add(ownMs)
    this.clock.add(clockMs)
    if (result === undefined) {
      this.crashes += 1
      this.#show(`crash on ${kind}`, input)
    } else if (!isPlainData(result)) {
      this.surprises += 1
      this.#show(`surprise in the result of ${kind}`, input)
    } else if (expected !== undefined && result.ok !== expected) {
      this.#wrong(`${kind}: ${result.ok ? 'accepted' : `refused, ${JSON.stringify(result)}`}`, input)
    }
    return result
  }

  #wrong(what: string, input: unknown): void {
    this.wrongVerdicts += 1
    this.#show(`wrong verdict on ${what}`, input)
  }

  #show(what: string, input: unknown): void {
    this.#shown += 1
    if (this.#shown <= shownFailures) console.log(`${what}:`, input)
  }
}

/** What the protocol cannot express is in the description; everything else must come back unchanged. */
function asClientsSee({ fields }: Form, { fields: seen }: Form): Form {
  return {
    fields: fields.map((field, index): Field => {
      const { nullable, ...plain } = field
      const shown = nullable === undefined ? plain : { ...plain, required: false }
      const hinted = seen[index]?.description
      if (shown.kind === 'number' && (shown.above !== undefined || shown.below !== undefined)) {
        const { above, below, description, ...rest } = shown
        if (hinted === undefined || !hinted.startsWith(description ?? '')) return field
        return {
          ...rest,
          ...(above !== undefined && { min: above }),
          ...(below !== undefined && { max: below }),
          description: hinted,
        }
      }
      if (shown.kind !== 'list') return shown
      const { name, required, title, description, default: suggested } = shown
      if (hinted === undefined || !hinted.startsWith(description ?? '')) return field
      const text = seen[index]?.default
      const isSame = suggested === undefined ? text === undefined : typeof text === 'string'
      if (!isSame) return field
      const said = { ...(title !== undefined && { title }), ...(typeof text === 'string' && { default: text }) }
      return { kind: 'text', name, required, description: hinted, ...said }
    }),
  }
}

function attempt<R>(judge: () => R): R | undefined {
  try {
    return judge()
  } catch {
    return undefined
  }
}
