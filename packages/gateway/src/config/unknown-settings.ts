// Suggestions for unknown settings: names in the wrong group, and misspelt variables.

import { nearest } from './nearest.ts'
import type { Warning } from './problem.ts'
import { type Setting, variableOf } from './setting.ts'

/** The paths of all settings with one value, except those under a name that the operator chooses. */
export function pathsOf(setting: Setting, path: readonly string[] = []): (readonly string[])[] {
  if (setting.node === 'leaf' || setting.node === 'list') return [path]
  if (setting.node !== 'group' && setting.node !== 'optional-group') return []
  return Object.entries(setting.members as Record<string, Setting>).flatMap(([name, member]) =>
    pathsOf(member, [...path, name]),
  )
}

/** A suggestion if a setting of this name exists in another group. */
export function whereElse(root: Setting, name: string): string | undefined {
  const found = pathsOf(root).find((path) => path.at(-1) === name)
  return found === undefined ? undefined : `Did you mean \`${found.join('.')}\`?`
}

/** ASSENT_… variables that are not settings: the folder for the program's files, and the project of an agent. */
const notSettings = ['ASSENT_HOME', 'ASSENT_PROJECT']

/**
 * Variables that look like an override but match no setting. A warning, not an error: the environment is shared, and
 * the file may refer to a variable with such a name.
 */
export function strayVariables(
  root: Setting,
  variables: Readonly<Record<string, string | undefined>>,
  source: string,
): Warning[] {
  const known = [...pathsOf(root).map(variableOf), ...notSettings]
  return Object.keys(variables)
    .filter((name) => name.startsWith('ASSENT_') && !known.includes(name) && !source.includes(`\${env:${name}}`))
    .map((name) => {
      const meant = nearest(name, known)
      const warning = { path: '', words: `${name} matches no setting`, place: { kind: 'variable', name } } as const
      return meant === undefined ? warning : { ...warning, suggestion: `Did you mean ${meant}?` }
    })
}
