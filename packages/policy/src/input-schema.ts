// What a tool's input schema says about an argument.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { ArgumentPath } from './argument-paths.ts'

/** The schema of the argument, as far as `properties` lead to it. */
export function schemaAt(schema: JsonValue | undefined, path: ArgumentPath): JsonValue | undefined {
  let part = schema
  for (const name of path) {
    const { properties } = isPlainObject(part) ? (part as JsonObject) : {}
    part = isPlainObject(properties) && Object.hasOwn(properties, name) ? (properties as JsonObject)[name] : undefined
  }
  return part
}

export function typesOf(schema: JsonValue | undefined): readonly JsonValue[] {
  const type = isPlainObject(schema) ? (schema as JsonObject).type : undefined
  return Array.isArray(type) ? type : type === undefined ? [] : [type]
}

/** Keywords through which a schema may allow members that `properties` does not name. */
const openKeywords = ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'dependentSchemas']

/** Whether the schema declares the path nowhere and allows nothing else in its place. */
export function isRuledOut(schema: JsonValue | undefined, path: ArgumentPath): boolean {
  let part = schema
  for (const name of path) {
    if (!isPlainObject(part)) return false
    const { properties, additionalProperties } = part as JsonObject
    if (openKeywords.some((keyword) => Object.hasOwn(part as JsonObject, keyword))) return false
    if (!isPlainObject(properties) || !Object.hasOwn(properties, name)) return additionalProperties === false
    part = (properties as JsonObject)[name]
  }
  return false
}

/** The names that `properties` has at a path. */
export function declaredNames(schema: JsonValue | undefined, path: ArgumentPath): readonly string[] {
  const part = schemaAt(schema, path)
  const { properties } = isPlainObject(part) ? (part as JsonObject) : {}
  return isPlainObject(properties) ? Object.keys(properties) : []
}
