// `${env:NAME}` and `${file:PATH}` in a configuration: values that do not belong in the file.
//
// Errors never contain the value of a reference. `$${` is an escaped `${`.

import type { CedarFile } from '@assent/policy'

export interface Surroundings {
  /** For `assent` without a command, instead of a gateway. */
  readonly isStandalone?: true
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The content of a file, or why it cannot be read. Relative paths start at the configuration's folder. */
  readFile(path: string): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }
  /** A file with Cedar policies, or those of a folder. Without it, there are none to read. */
  readCedar?(path: string): CedarRead
}

export type CedarRead =
  | { readonly ok: true; readonly files: readonly CedarFile[] }
  | { readonly ok: false; readonly reason: string }

export type Resolved =
  | { readonly ok: true; readonly text: string; readonly isReferred: boolean }
  | { readonly ok: false; readonly problem: string; readonly suggestion?: string }

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g

export function resolve(text: string, around: Surroundings): Resolved {
  let failure: Resolved | undefined
  let isReferred = false
  const resolved = text.replace(reference, (whole: string, inside: string | undefined, end: string) => {
    if (inside === undefined) return '${'
    isReferred = true
    const found = end === '' ? wrong('has a reference that is not closed: ${ without }') : valueAt(inside, around)
    if (found.ok) return found.text
    failure ??= found
    return whole
  })
  return failure ?? { ok: true, text: resolved, isReferred }
}

function valueAt(inside: string, around: Surroundings): Resolved {
  const [, kind, name = ''] = /^(env|file):(.*)$/s.exec(inside) ?? []
  if (kind === 'env') {
    const value = around.variables[name]
    if (value !== undefined && value !== '') return { ok: true, text: value, isReferred: true }
    const state = value === '' ? 'is empty' : 'is not set'
    return wrong(`needs the environment variable ${name}, which ${state}`, `Set it, or write \${file:PATH} instead.`)
  }
  if (kind === 'file') {
    const read = around.readFile(name)
    // Editors and `echo` end a file with a line break that does not belong to the secret.
    if (read.ok) return { ok: true, text: read.text.replace(/\r?\n$/, ''), isReferred: true }
    return wrong(`needs the file ${name}, which cannot be read: ${read.reason}`)
  }
  const problem = 'has an unknown kind of reference'
  return wrong(problem, `Write \${env:NAME} or \${file:PATH}; for the two characters themselves, write $\${.`)
}

function wrong(problem: string, suggestion?: string): Resolved {
  return suggestion === undefined ? { ok: false, problem } : { ok: false, problem, suggestion }
}
