// What was meant for a setting and reached none: names in the wrong place, and misspelt variables.

import { nearest } from './nearest.ts'
import type { Warning } from './problem.ts'
import { type Setting, variableOf } from './setting.ts'

/** The paths of all settings that have one value; of those under a name that the operator chose, none. */
export function pathsOf(setting: Setting, path: readonly string[] = []): (readonly string[])[] {
  if (setting.node === 'leaf' || setting.node === 'list') return [path]
  if (setting.node !== 'group' && setting.node !== 'optional-group') return []
  return Object.entries(setting.members as Record<string, Setting>).flatMap(([name, member]) =>
    pathsOf(member, [...path, name]),
  )
}

/** Says where a setting of this name belongs, if it is known somewhere else. */
export function whereElse(root: Setting, name: string): string | undefined {
  const found = pathsOf(root).find((path) => path.at(-1) === name)
  return found === undefined ? undefined : `Did you mean ${found.join('.')}?`
}

/** What the program knows by other names than settings: where its files are, and which project an agent works on. */
const notSettings = ['ASSENT_HOME', 'ASSENT_PROJECT']

/**
 * Variables that look like an override and are none. They are a warning and no error: the environment is shared, and a
 * value that the file refers to may well have such a name.
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
      const warning = { path: '', words: `${name} overrides no setting`, place: { kind: 'variable', name } } as const
      return meant === undefined ? warning : { ...warning, suggestion: `Did you mean ${meant}?` }
    })
}
