// Rewrites the JSON Schema of an author's form into the spellings that a form has.
//
// Schema libraries write one meaning in several ways: a choice as `enum` without a type, as `const`, or as a union of
// constants; a field that may be empty as a union with `null`. Everything else is left as it is, and core refuses what no
// form can show.

import { isPlainObject } from '@assent/core'

interface PlainForm {
  readonly schema: unknown
  /** Fields whose missing answer means `null`. */
  readonly nullable: readonly string[]
}

type Property = Readonly<Record<string, unknown>>

export function plainForm(schema: unknown): PlainForm {
  if (!isPlainObject(schema) || !isPlainObject(schema.properties)) return { schema, nullable: [] }
  const nullable: string[] = []
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    if (!isPlainObject(property)) return [name, property]
    const filled = withoutNull(property)
    if (filled !== undefined) nullable.push(name)
    return [name, asChoice(filled ?? property)]
  })
  const required = Array.isArray(schema.required)
    ? { required: schema.required.filter((name) => !nullable.includes(String(name))) }
    : {}
  return { schema: { ...schema, properties: Object.fromEntries(properties), ...required }, nullable }
}

/** The property without its `null`; undefined if it has none. */
function withoutNull(property: Property): Property | undefined {
  const { type, enum: values, ...rest } = property
  if (Array.isArray(type) && type.length === 2 && type.includes('null')) {
    const [other] = type.filter((one) => one !== 'null')
    return { ...rest, ...(values === undefined ? {} : { enum: withoutNulls(values) }), type: other }
  }
  if (Array.isArray(values) && values.includes(null)) return { ...property, enum: withoutNulls(values) }
  const { anyOf, ...around } = property
  if (!Array.isArray(anyOf)) return undefined
  const others = anyOf.filter((one) => !isNull(one))
  if (others.length === anyOf.length) return undefined
  return others.length === 1 && isPlainObject(others[0]) ? { ...others[0], ...around } : { ...around, anyOf: others }
}

function withoutNulls(values: unknown): unknown {
  return Array.isArray(values) ? values.filter((value) => value !== null) : values
}

function isNull(schema: unknown): boolean {
  return isPlainObject(schema) && (schema.type === 'null' || ('const' in schema && schema.const === null))
}

/** A choice among texts in the one spelling that forms have; any other property as it is. */
function asChoice(property: Property): Property {
  const { anyOf, oneOf, const: only, ...rest } = property
  if (typeof only === 'string' && rest.enum === undefined) return { ...rest, type: 'string', enum: [only] }
  if (isTexts(rest.enum) && rest.type === undefined) return { ...property, type: 'string' }
  const options = anyOf ?? oneOf
  if (!Array.isArray(options) || options.length === 0 || (anyOf !== undefined && oneOf !== undefined)) return property
  const constants = options.flatMap((option) => constantsOf(option) ?? [undefined])
  if (constants.includes(undefined)) return property
  const isTitled = constants.some((constant) => constant?.title !== undefined)
  if (!isTitled) return { ...rest, type: 'string', enum: constants.map((constant) => constant?.const) }
  return {
    ...rest,
    type: 'string',
    oneOf: constants.map((constant) => ({ const: constant?.const, title: constant?.title ?? constant?.const })),
  }
}

/** The texts that one member of a union stands for. */
function constantsOf(option: unknown): { const: string; title?: string }[] | undefined {
  if (!isPlainObject(option)) return undefined
  if (option.type !== undefined && option.type !== 'string') return undefined
  if (typeof option.const === 'string') {
    return [{ const: option.const, ...(typeof option.title === 'string' ? { title: option.title } : {}) }]
  }
  return isTexts(option.enum) ? option.enum.map((value) => ({ const: value })) : undefined
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
}
