// Which keywords of JSON Schema a form must not ignore.
//
// A keyword that restricts the answer is either checked or refused: ignoring it could accept a wrong answer.
// Every other keyword is an annotation: it is dropped.

const restricting: ReadonlySet<string> = new Set([
  '$dynamicRef',
  '$recursiveRef',
  '$ref',
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'const',
  'contains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'if',
  'items',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'oneOf',
  'pattern',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'required',
  'then',
  'type',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
])

/** The keywords that cannot be ignored and are not among those that are checked. */
export function uncheckedIn(entries: ReadonlyMap<string, unknown>, checked: readonly string[]): string[] {
  return [...entries.keys()].filter((name) => restricting.has(name) && !checked.includes(name))
}
