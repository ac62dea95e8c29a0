// Attributes that the schema has room for and that the gateway does not set yet. A policy that refers to one is refused: a
// forbid that never applies would seem to protect something.

import { isPlainObject } from '@assent/core'
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'

const unset: ReadonlyMap<string, readonly string[]> = new Map([
  ['principal', ['roles']],
  ['resource', ['definitionChanged']],
  ['context', ['address']],
])

/** The first such attribute in a policy, such as `principal.roles`. */
export function unsetAttributeIn({ conditions }: PolicyJson): string | undefined {
  for (const { body } of conditions) {
    const found = findIn(body)
    if (found !== undefined) return found
  }
  return undefined
}

function findIn(expression: unknown): string | undefined {
  if (Array.isArray(expression)) return firstOf(expression)
  if (!isPlainObject(expression)) return undefined
  return attributeIn(expression['.']) ?? attributeIn(expression.has) ?? firstOf(Object.values(expression))
}

function firstOf(expressions: readonly unknown[]): string | undefined {
  for (const one of expressions) {
    const found = findIn(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Of an access such as `principal.roles`, or a test such as `principal has roles`. */
function attributeIn(access: unknown): string | undefined {
  if (!isPlainObject(access) || !isPlainObject(access.left)) return undefined
  const variable = access.left.Var
  const [attribute] = Array.isArray(access.attr) ? access.attr : [access.attr]
  if (typeof variable !== 'string' || typeof attribute !== 'string') return undefined
  return unset.get(variable)?.includes(attribute) === true ? `${variable}.${attribute}` : undefined
}
