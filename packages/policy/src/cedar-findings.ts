// Policies of Cedar files, validated by Cedar against a schema that is generated from the tools' input schemas.
//
// A policy is validated only where the schema has a type for every argument that it refers to: JSON Schema allows unions
// and unknown types, which Cedar has not, and such a policy may well be right.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { NamespaceDefinition, PolicyJson, SchemaJson, Type } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, argumentPaths } from './argument-paths.ts'
import { loadCedar } from './cedar.ts'
import { sentence } from './cedar-file.ts'
import type { KnownTool, PolicyFinding } from './finding.ts'
import { schemaAt, typesOf } from './input-schema.ts'
import type { PolicySource } from './policy-set.ts'
import { actionOf } from './short-form.ts'
import { knownFacts, staticMatch } from './static-match.ts'
import { type Nearest, suggestedName } from './suggested-name.ts'
import { attributesIn } from './unknown-facts.ts'

type CedarType = Type<string>

export async function cedarFindings(
  sources: readonly PolicySource[],
  tools: readonly KnownTool[] | undefined,
  nearest: Nearest,
): Promise<PolicyFinding[]> {
  if (sources.length === 0) return []
  const cedar = await loadCedar()
  const findings: PolicyFinding[] = []
  for (const { policy, place } of sources) {
    const matches = staticMatch(policy)
    const args = argumentsType(
      argumentPaths(policy),
      (tools ?? []).filter((tool) => matches(knownFacts(tool))),
    )
    const id = policy.annotations?.id ?? ''
    if (args === undefined) {
      findings.push(
        ...unknownAttributes(policy).map((one) => ({ level: 'error' as const, place, ...wordsOf(id, one, nearest) })),
      )
      continue
    }
    const answer = cedar.validate({ schema: schemaWith(args), policies: { staticPolicies: { [id]: policy } } })
    const errors = answer.type === 'failure' ? answer.errors : answer.validationErrors.map(({ error }) => error)
    // Cedar reports a mistake once per action.
    const found = new Map(errors.map(({ message, help }) => [plain(message), help]))
    for (const [problem, help] of found) {
      findings.push({ level: 'error', place, problem, suggestion: help === null ? typeHint : sentence(help) })
    }
  }
  return findings
}

/** Where Cedar suggests nothing, which it does for types that differ. */
const typeHint =
  'Compare values of one type: ip("10.0.0.0/8") for an address, decimal("9.5") for a number with decimal places, whole numbers without quotes.'

/** Attributes of a policy that Cedar cannot validate, because the types of its arguments are not known. */
function unknownAttributes(policy: PolicyJson): string[] {
  return [...new Set(attributesIn(policy, ['.']))].filter((one) => {
    const [variable = '', name = ''] = one.split('.')
    const known = attributesOf[variable]
    return known !== undefined && !known.includes(name)
  })
}

function wordsOf(
  id: string,
  attribute: string,
  nearest: Nearest,
): { readonly problem: string; readonly suggestion: string } {
  const [variable = '', name = ''] = attribute.split('.')
  const problem = `The policy "${id}": ${variable} has no attribute \`${name}\`.`
  return { problem, suggestion: suggestedName(name, attributesOf[variable] ?? [], nearest) }
}

function plain(message: string): string {
  const withoutAction = message.replaceAll(/ in context for Action::"[^"]*"/g, '')
  return sentence(withoutAction.replace(/^for policy `(.*?)`, /, 'The policy "$1": '))
}

/** The arguments of all tools that a policy covers as one record; undefined if Cedar has no type for one that it uses. */
function argumentsType(paths: readonly ArgumentPath[], tools: readonly KnownTool[]): CedarType | undefined {
  if (paths.length === 0) return recordOf({})
  if (tools.length === 0) return undefined
  for (const path of paths) {
    const declared = tools.filter(({ schema }) => schemaAt(schema, path) !== undefined)
    const types = declared.map(({ schema }) => typeOf(schemaAt(schema, path)))
    const isKnown = types.every((type) => type !== undefined && JSON.stringify(type) === JSON.stringify(types[0]))
    if (!isKnown || path.length === 0) return undefined
  }
  const merged: Record<string, CedarType> = {}
  for (const { schema } of tools) Object.assign(merged, membersOf(schema))
  return recordOf(merged)
}

function membersOf(schema: JsonValue | undefined): Record<string, CedarType> {
  const { properties } = isPlainObject(schema) ? (schema as JsonObject) : {}
  if (!isPlainObject(properties)) return {}
  const typed = Object.entries(properties as JsonObject).flatMap(([name, one]) => {
    const type = typeOf(one)
    return type === undefined ? [] : [[name, type] as const]
  })
  return Object.fromEntries(typed)
}

/** Undefined for unions and for what has no type. */
function typeOf(schema: JsonValue | undefined): CedarType | undefined {
  const [type, ...more] = typesOf(schema)
  if (more.length > 0) return undefined
  if (type === 'string') return { type: 'String' }
  if (type === 'boolean') return { type: 'Boolean' }
  if (type === 'integer') return { type: 'Long' }
  if (type === 'number') return { type: 'Extension', name: 'decimal' }
  if (type === 'object') return recordOf(membersOf(schema))
  if (type !== 'array') return undefined
  const element = typeOf((schema as JsonObject).items)
  return element === undefined ? undefined : { type: 'Set', element }
}

function recordOf(required: Record<string, CedarType>, optional: Record<string, CedarType> = {}): CedarType {
  const members = (types: Record<string, CedarType>, isRequired: boolean) =>
    Object.entries(types).map(([name, type]) => [name, { ...type, required: isRequired }] as const)
  return { type: 'Record', attributes: Object.fromEntries([...members(required, true), ...members(optional, false)]) }
}

const text: CedarType = { type: 'String' }
const flag: CedarType = { type: 'Boolean' }
const long: CedarType = { type: 'Long' }
const texts: CedarType = { type: 'Set', element: text }

const ofContext = {
  integers: texts,
  absent: texts,
  claims: recordOf({}, { agent: text, client: text }),
  time: recordOf({ hour: long, minute: long, weekday: long, date: text }),
  address: { type: 'Extension', name: 'ipaddr' },
} satisfies Record<string, CedarType>
const ofResource = {
  server: text,
  name: text,
  readOnly: flag,
  destructive: flag,
  idempotent: flag,
  openWorld: flag,
  definitionChanged: flag,
}
const ofPrincipal = { roles: texts }
const attributesOf: Readonly<Record<string, readonly string[]>> = {
  principal: Object.keys(ofPrincipal),
  resource: Object.keys(ofResource),
  context: ['args', ...Object.keys(ofContext)],
}

function schemaWith(args: CedarType): SchemaJson<string> {
  const context = recordOf({ args, ...ofContext })
  const target = { memberOfTypes: ['Server'], shape: recordOf(ofResource) }
  const action = (resource: string) => ({
    appliesTo: { principalTypes: ['Person'], resourceTypes: [resource], context },
  })
  const namespace: NamespaceDefinition<string> = {
    entityTypes: {
      Group: {},
      Team: {},
      Server: {},
      Person: { memberOfTypes: ['Group', 'Team'], shape: recordOf(ofPrincipal) },
      Tool: target,
      Prompt: target,
      Resource: target,
    },
    actions: {
      [actionOf.tools]: action('Tool'),
      [actionOf.prompts]: action('Prompt'),
      [actionOf.resources]: action('Resource'),
    },
  }
  return { '': namespace }
}
