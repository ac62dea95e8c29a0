// The JSON Schema of the configuration, for editors.
//
// It is a help while typing and slightly less strict than `assent config check`, which also resolves references.

import type { JsonObject, JsonValue } from '@assent/core'
import { type Members, type Setting, variableOf } from './setting.ts'
import { settings } from './settings.ts'

export function configSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of the Assent gateway',
    ...schemaOf(settings, []),
    required: ['servers'],
  }
}

// Any string may be a reference instead of the value.
const reference = { type: 'string', pattern: '\\$\\{(env|file):' }

function schemaOf(setting: Setting, path: readonly string[] | undefined): JsonObject {
  switch (setting.node) {
    case 'leaf':
      return { description: describe(setting.about, path), ...orReference(setting.kind.schema), ...defaultOf(setting) }
    case 'list': {
      const items = orReference(setting.kind.schema)
      const all = { type: 'array', items, ...(setting.allowsOne ? { minItems: 1 } : {}) }
      return {
        description: describe(setting.about, path),
        ...(setting.allowsOne ? { anyOf: [items, all] } : all),
        ...(setting.fallback.length === 0 ? {} : { default: setting.fallback.map(String) }),
      }
    }
    case 'records':
      return { description: setting.about, type: 'array', items: groupSchema({ ...setting, node: 'group' }, undefined) }
    case 'custom':
      return { description: setting.about, ...setting.schema }
    case 'named':
      return {
        description: setting.about,
        type: 'object',
        additionalProperties: schemaOf(setting.of, undefined),
        propertyNames: { pattern: setting.names.source },
      }
    case 'group':
      return groupSchema(setting, path)
    case 'optional-group': {
      const all = groupSchema(setting, path)
      if (setting.listMember === undefined) return all
      const { description, ...map } = all
      const listed = schemaOf(setting.members[setting.listMember], undefined)
      return { description: setting.about, anyOf: [listed, map] }
    }
  }
}

function groupSchema(
  setting: Setting & { readonly node: 'group' | 'optional-group' },
  path: readonly string[] | undefined,
): JsonObject {
  const required = Object.entries(setting.members as Members).flatMap(([name, member]) =>
    member.node === 'leaf' && member.isRequired ? [name] : [],
  )
  return {
    description: setting.about,
    type: 'object',
    additionalProperties: false,
    properties: propertiesOf(setting.members, path),
    ...(required.length === 0 ? {} : { required }),
    ...(setting.node === 'group' && setting.either.length > 0
      ? { oneOf: setting.either.map((name) => ({ required: [name] })) }
      : {}),
  }
}

function propertiesOf(members: Members, path: readonly string[] | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      schemaOf(member, path === undefined ? undefined : [...path, name]),
    ]),
  )
}

function describe(about: string, path: readonly string[] | undefined): string {
  return path === undefined ? about : `${about} Overridden by ${variableOf(path)}.`
}

function orReference(schema: JsonObject): JsonObject {
  const takesAnyText = schema.type === 'string' && schema.pattern === undefined
  return takesAnyText ? schema : { anyOf: [schema, reference] }
}

function defaultOf(setting: Setting & { node: 'leaf' }): JsonObject {
  if (setting.fallback === undefined || setting.fallbackWords !== undefined) return {}
  const { fallback } = setting
  const isPlain =
    typeof fallback === 'boolean' || (typeof fallback === 'number' && setting.kind.schema.type === 'integer')
  return { default: (isPlain ? fallback : setting.kind.show(fallback)) as JsonValue }
}
