// Names of groups in other settings.

import { nearest } from './nearest.ts'
import type { WrittenConfig } from './settings.ts'

/** What is wrong with a name that is not `group:…`, not `person:…` and not in `groups`; undefined if it is one of these. */
export function unknownGroup(
  name: string,
  groups: WrittenConfig['groups'],
): { readonly words: string; readonly suggestion: string } | undefined {
  // hasOwn, because a group may be called `constructor`.
  if (/^(group|person):./.test(name) || Object.hasOwn(groups, name)) return undefined
  const names = Object.keys(groups)
  const meant = nearest(name, names)
  const known = names.length === 0 ? 'Add it to groups.' : `The groups are ${names.join(', ')}.`
  return {
    words: `names the group ${name}, which is not in groups`,
    suggestion: meant === undefined ? known : `Did you mean ${meant}?`,
  }
}
