// Which parts of a call a policy refers to, read from Cedar's JSON form of the policy: its arguments, time, address and claims.
//
// Only these are passed to Cedar: converting a long list costs milliseconds, and an argument that no policy refers to
// cannot make a request unrepresentable.

import { isPlainObject } from '@assent/core'
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'

/** Member names from the arguments down. Empty: the arguments as a whole. */
export type ArgumentPath = readonly string[]

export function argumentPaths(policy: PolicyJson): ArgumentPath[] {
  const paths = contextPaths(policy)
  return inOrder(paths.flatMap(([first, ...rest]) => (first === undefined || first === 'args' ? [rest] : [])))
}

/** Whether a policy refers to this member of the context, or to the context as a whole. */
export function refersTo(member: string, policy: PolicyJson): boolean {
  return contextPaths(policy).some(([first = member]) => first === member)
}

/** The names of the attributes that a policy reads, of whichever entity or record. */
export function attributeNames({ conditions }: PolicyJson): Set<string> {
  const names = new Set<string>()
  for (const { body } of conditions) addAttributes(body, names)
  return names
}

function addAttributes(expression: unknown, names: Set<string>): void {
  if (Array.isArray(expression)) for (const one of expression) addAttributes(one, names)
  if (!isPlainObject(expression)) return
  for (const read of [expression['.'], expression.has]) {
    if (isPlainObject(read)) for (const name of [read.attr].flat()) names.add(String(name))
  }
  for (const one of Object.values(expression)) addAttributes(one, names)
}

function contextPaths({ conditions }: PolicyJson): (readonly string[])[] {
  const found: (readonly string[])[] = []
  for (const { body } of conditions) collect(body, found)
  return found
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

function collect(expression: unknown, found: (readonly string[])[]): void {
  const path = contextPath(expression)
  if (path !== undefined) {
    found.push(path)
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
    found.push([...tested, ...(Array.isArray(attr) ? attr.map(String) : [String(attr)])])
    return
  }
  for (const one of Object.values(expression)) collect(one, found)
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
