// A form from whatever an author has: core's field builders, a form, or a Standard Schema (zod, valibot, arktype …).
//
// A schema says its JSON Schema, which is read like any stranger's. What a form may be unable to check (a pattern of
// JavaScript, a multiple) is left out of what is shown, because the schema itself judges the answer afterwards; nothing
// is left out of the judging.

import {
  AssentError,
  type Content,
  type ContentOf,
  type Form,
  form,
  isPlainObject,
  type Part,
  readForm,
} from '@assent/core'

/** https://standardschema.dev, as much of it as we touch. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => unknown }
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

export type Fields = Readonly<Record<string, Part>>
export type Asked = StandardSchema | Form | Fields

export type AnswersOf<A extends Asked> =
  A extends StandardSchema<infer Output>
    ? Output
    : A extends Form
      ? ContentOf<A>
      : A extends Fields
        ? ContentOf<ReturnType<typeof form<A>>>
        : never

interface FormAsked {
  readonly form: Form
  readonly take: (content: Content) => unknown
}

export function formOf(asked: Asked): FormAsked {
  if (isStandardSchema(asked)) return fromSchema(asked)
  if ('fields' in asked && Array.isArray(asked.fields)) return { form: asked as Form, take: asItCame }
  return { form: form(asked as Fields), take: asItCame }
}

function asItCame(content: Content): Content {
  return content
}

function isStandardSchema(asked: unknown): asked is StandardSchema {
  const isHolder = (typeof asked === 'object' && asked !== null) || typeof asked === 'function'
  return isHolder && '~standard' in asked
}

function fromSchema(schema: StandardSchema): FormAsked {
  const read = readForm(withoutWhatIsJudgedLater(jsonSchemaOf(schema)))
  if (!read.ok) {
    const reasons = read.problems.map(({ path, reason }) => `${path}: ${reason}`)
    throw new AssentError('schema_refused', `This schema cannot be asked as a form. ${reasons.join(' ')}`)
  }
  return { form: read.form, take: (content) => validated(schema, content) }
}

async function validated(schema: StandardSchema, content: Content): Promise<unknown> {
  // A plain copy, because some schemas refuse objects without a prototype.
  const result = await schema['~standard'].validate({ ...content })
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path = [] }) => [...path.map(stepName), message].join(': '))
  throw new AssentError('validation_failed', issues.join(' '))
}

function stepName(step: unknown): string {
  return typeof step === 'object' && step !== null && 'key' in step ? String(step.key) : String(step)
}

function jsonSchemaOf(schema: StandardSchema): unknown {
  const convert = schema['~standard'].jsonSchema?.input
  if (convert === undefined) {
    const vendor = schema['~standard'].vendor
    const advice = 'Upgrade it, wrap it for Standard JSON Schema, or pass fields'
    throw new AssentError('schema_refused', `This ${vendor} schema cannot say its JSON Schema. ${advice}.`)
  }
  return convert({ target: 'draft-2020-12' })
}

const judgedLater = new Set(['pattern', 'multipleOf'])
/** What zod gives as the bounds of every whole number; nobody chose them. */
const anyWholeNumber = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER])

function withoutWhatIsJudgedLater(schema: unknown): unknown {
  if (!isPlainObject(schema) || !isPlainObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    if (!isPlainObject(property)) return [name, property]
    const shown = Object.entries(property).filter(
      ([word, value]) => !judgedLater.has(word) && !anyWholeNumber.has(value),
    )
    return [name, Object.fromEntries(shown)]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}
