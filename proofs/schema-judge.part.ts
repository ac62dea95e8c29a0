// Puts one case to the judge at a time, and keeps the score: crashes, surprises, wrong verdicts, durations.
import { isDeepStrictEqual } from 'node:util'
import { checkContent } from '../packages/core/src/form/check.ts'
import { encodeForm } from '../packages/core/src/form/encode.ts'
import type { Form } from '../packages/core/src/form/form.ts'
import { readForm } from '../packages/core/src/form/read.ts'
import type { FormPlan } from './schema-case.part.ts'
import { Durations, isPlainData, isUntouched, prototypes, timed } from './schema-watch.part.ts'

/** Undefined where nobody knows what the verdict should be. */
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
    const read = this.#judged(kind, schema, expected, () => readForm(schema))
    if (!read?.ok) return undefined
    const encoded = encodeForm(read.form, '2025-11-25')
    const again = encoded.ok && readForm(encoded.schema)
    if (!isDeepStrictEqual(again, read)) this.#wrong(`${kind}: does not read back the same`, schema)
    return read.form
  }

  answer(kind: string, form: Form, answer: unknown, expected: Expected) {
    return this.#judged(kind, answer, expected, () => checkContent(form, answer))
  }

  goodSchema(plan: FormPlan): Form | undefined {
    const form = this.schema('valid schema', plan.schema, true)
    const read = form?.fields.map((field) => [field.name, field.required])
    const meant = Object.keys(plan.schema.properties as object).map((name) => [name, plan.required.includes(name)])
    if (!isDeepStrictEqual(read, meant)) this.#wrong('valid schema: other fields than it has', plan.schema)
    return form
  }

  goodAnswer(form: Form, answer: Record<string, unknown>): void {
    const checked = this.answer('valid answer', form, answer, true)
    const names = form.fields.map((field) => field.name).filter((name) => Object.hasOwn(answer, name))
    const content = checked?.ok ? Object.entries(checked.content) : undefined
    const meant = names.map((name) => [name, answer[name]])
    if (!isDeepStrictEqual(content, meant)) this.#wrong('valid answer: other content than was given', answer)
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

function attempt<R>(judge: () => R): R | undefined {
  try {
    return judge()
  } catch {
    return undefined
  }
}
