// Which arguments of a call a policy refers to, read from Cedar's JSON form of the policy.
//
// Only these are passed to Cedar: converting a long list costs milliseconds, and an argument that no policy refers to
// cannot make a request unrepresentable.

import { isPlainObject } from '@assent/core'
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'

/** Member names from the arguments down. Empty: the arguments as a whole. */
export type ArgumentPath = readonly string[]

export function argumentPaths(policy: PolicyJson): ArgumentPath[] {
  const found: ArgumentPath[] = []
  for (const { body } of policy.conditions) collect(body, found)
  return inOrder(found)
}

/** Without repeats, and each path before those that lead into it. */
export function inOrder(paths: readonly ArgumentPath[]): ArgumentPath[] {
  const unique = new Map(paths.map((path) => [pointerOf(path), path])).values()
  return [...unique].sort((a, b) => a.length - b.length)
}

/** A JSON pointer, as policies name a path in sets of text. */
export function pointerOf(path: ArgumentPath): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function collect(expression: unknown, found: ArgumentPath[]): void {
  const path = contextPath(expression)
  if (path !== undefined) {
    addArguments(path, found)
    return
  }
  if (Array.isArray(expression)) {
    for (const one of expression) collect(one, found)
    return
  }
  if (!isPlainObject(expression)) return
  const tested = isPlainObject(expression.has) ? contextPath(expression.has.left) : undefined
  if (tested !== undefined && isPlainObject(expression.has)) {
    const { attr } = expression.has
    addArguments([...tested, ...(Array.isArray(attr) ? attr.map(String) : [String(attr)])], found)
    return
  }
  for (const one of Object.values(expression)) collect(one, found)
}

function addArguments([first, ...rest]: readonly string[], found: ArgumentPath[]): void {
  if (first === undefined || first === 'args') found.push(rest)
}

/** The path of an expression such as `context.args.env`; undefined for any other expression. */
function contextPath(expression: unknown): readonly string[] | undefined {
  if (!isPlainObject(expression)) return undefined
  if (expression.Var === 'context') return []
  const access = expression['.']
  if (!isPlainObject(access)) return undefined
  const left = contextPath(access.left)
  return left === undefined ? undefined : [...left, String(access.attr)]
}
