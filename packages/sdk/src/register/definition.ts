// The definition of a registered tool, as `tools/list` gives it. Approvals are bound to its digest.
//
// It is read from the registration at each approval, so a tool that was updated needs a new one. A schema that cannot
// produce its JSON Schema (zod 3) is represented by the names of its fields.

import { compact, isPlainObject } from '@assent/core'
import type { ToolDefinition } from '../gate/action.ts'

interface RegisteredParts {
  readonly title?: unknown
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
  readonly icons?: unknown
  readonly _meta?: unknown
}

const converted = new WeakMap<object, unknown>()

export function definitionOf(name: string, registered: RegisteredParts): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = registered
  return {
    name,
    ...compact({
      title,
      description,
      inputSchema: jsonSchema(inputSchema, 'input'),
      outputSchema: jsonSchema(outputSchema, 'output'),
      annotations: plainJson(annotations),
      icons: plainJson(icons),
      _meta: plainJson(_meta),
    }),
  }
}

/** The JSON Schema of what either SDK keeps for a tool. */
function jsonSchema(schema: unknown, side: 'input' | 'output'): unknown {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined
  const known = converted.get(schema)
  if (known !== undefined) return known
  const json = plainJson(convert(schema, side))
  converted.set(schema, json)
  return json
}

function convert(schema: object, side: 'input' | 'output'): unknown {
  if ('~standard' in schema && isPlainObject(schema['~standard'])) {
    const { jsonSchema } = schema['~standard']
    if (isPlainObject(jsonSchema) && typeof jsonSchema[side] === 'function')
      return jsonSchema[side]({ target: 'draft-2020-12' })
  }
  return { type: 'object', fields: Object.keys(shapeOf(schema)).sort() }
}

function shapeOf(schema: object): object {
  const shape = 'shape' in schema ? schema.shape : schema
  return typeof shape === 'object' && shape !== null ? shape : schema
}

/** Without members that JSON does not have, such as those that are undefined. */
function plainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
