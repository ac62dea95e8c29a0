// A form from what an author passes: core's field builders, a form, a JSON Schema, or a Standard Schema (zod, valibot …).
//
// The JSON Schema of a schema is read like untrusted input. Keywords that a form may be unable to check (a JavaScript pattern,
// `multipleOf`) are left out of the form, because the schema itself validates the answer afterwards.

import {
  AssentError,
  type Content,
  type ContentOf,
  type FieldSpec,
  type Form,
  form,
  isPlainObject,
  readForm,
} from '@assent/core'
import { plainForm } from './plain-form.ts'

/** The part of https://standardschema.dev that we use. */
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
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
}

export type Fields = Readonly<Record<string, FieldSpec>>
/** The schema of a form as the protocol defines it: flat, with texts, numbers, booleans and choices. */
export interface JsonFormSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

export type FormSource = StandardSchema | Form | JsonFormSchema | Fields

export type AnswersOf<A extends FormSource> =
  A extends StandardSchema<infer Output>
    ? Output
    : A extends Form
      ? ContentOf<A>
      : A extends JsonFormSchema
        ? Content
        : A extends Fields
          ? ContentOf<ReturnType<typeof form<A>>>
          : never

interface ParsedFormSource {
  readonly form: Form
  readonly take: (content: Content) => unknown
}

interface FilledForm extends ParsedFormSource {
  readonly take: (content: Content) => Content
}

export function parseFormSource(asked: FormSource): ParsedFormSource {
  if (isStandardSchema(asked)) return fromSchema(asked)
  if (typeof asked !== 'object' || asked === null) throw notAForm()
  if (isJsonSchema(asked)) return fromJsonSchema(asked)
  if ('fields' in asked && Array.isArray(asked.fields)) return { form: asked as Form, take: unchanged }
  return { form: form(asked as Fields), take: unchanged }
}

function notAForm(): AssentError {
  const advice =
    'Pass its fields, such as { name: field.text() }, a JSON Schema, or a schema of zod or another library.'
  return new AssentError('schema_refused', `The fields of this form are missing. ${advice}`)
}

function unchanged(content: Content): Content {
  return content
}

export function isStandardSchema(asked: unknown): asked is StandardSchema {
  const isHolder = (typeof asked === 'object' && asked !== null) || typeof asked === 'function'
  return isHolder && '~standard' in asked
}

function isJsonSchema(asked: FormSource): asked is JsonFormSchema {
  return 'type' in asked && asked.type === 'object' && 'properties' in asked && isPlainObject(asked.properties)
}

/** A field that was left empty is null where the schema allows that: a schema that requires it accepts nothing else. */
function fromJsonSchema(schema: unknown): FilledForm {
  const { schema: shown, nullable } = plainForm(schema)
  const nulls = Object.fromEntries(nullable.map((name) => [name, null]))
  return { form: formOf(shown), take: (content) => ({ ...nulls, ...content }) }
}

function fromSchema(schema: StandardSchema): ParsedFormSource {
  const { form, take } = fromJsonSchema(withoutDeferredChecks(jsonSchemaOf(schema)))
  return { form, take: (content) => validated(schema, take(content)) }
}

function formOf(schema: unknown): Form {
  const read = readForm(schema)
  if (read.ok) return read.form
  const reasons = read.problems.map(({ path, reason }) => `${path}: ${reason}`)
  throw new AssentError('schema_refused', `This schema cannot be asked as a form. ${reasons.join(' ')}`)
}

async function validated(schema: StandardSchema, content: object): Promise<unknown> {
  // A plain copy, because some schemas refuse objects without a prototype.
  const result = await schema['~standard'].validate({ ...content })
  if (result.issues === undefined) return result.value
  throw schemaRejection(result.issues)
}

/** What a person reads if a schema does not accept what they entered. */
export function schemaRejection(issues: readonly SchemaIssue[]): AssentError {
  const texts = issues.map((issue) => [...issuePath(issue), issue.message].join(': '))
  return new AssentError('validation_failed', texts.join(' '))
}

/** The names that lead to the rejected value. */
export function issuePath({ path = [] }: SchemaIssue): string[] {
  return path.map((step) =>
    typeof step === 'object' && step !== null && 'key' in step ? String(step.key) : String(step),
  )
}

function jsonSchemaOf(schema: StandardSchema): unknown {
  const convert = schema['~standard'].jsonSchema?.input
  if (convert === undefined) {
    const vendor = schema['~standard'].vendor
    const advice = 'Upgrade it, wrap it for Standard JSON Schema, or pass fields'
    throw new AssentError('schema_refused', `This ${vendor} schema cannot produce its JSON Schema. ${advice}.`)
  }
  return convert({ target: 'draft-2020-12' })
}

const deferredKeywords = new Set(['pattern', 'multipleOf'])
/** The bounds that zod gives every integer; the author did not choose them. */
const anyWholeNumber = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER])

function withoutDeferredChecks(schema: unknown): unknown {
  if (!isPlainObject(schema) || !isPlainObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    if (!isPlainObject(property)) return [name, property]
    const shown = Object.entries(property).filter(
      ([keyword, value]) => !deferredKeywords.has(keyword) && !anyWholeNumber.has(value),
    )
    return [name, Object.fromEntries(shown)]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}
