// The argument of an action that says most about it, for a row that has space for one.

import type { DrawnValue } from '@assent/core'

const shownChars = 120
/** A longer list is shown as it is. */
const listMost = 10_000

/** Names of arguments that say what an action is about, the most important first. */
const tellingNames = [
  'env',
  'environment',
  'path',
  'file',
  'branch',
  'repository',
  'repo',
  'command',
  'url',
  'to',
  'name',
  'names',
  'id',
]

/** One with a telling name, otherwise the first text or number, otherwise the first one. */
export function mainArgument(given: readonly DrawnValue[]): Pick<DrawnValue, 'name' | 'value'> | undefined {
  const named = (telling: string) => given.find(({ name }) => name.toLowerCase() === telling)
  const telling = tellingNames.map(named).find((one) => one !== undefined)
  const chosen = telling ?? given.find(({ shape }) => shape === 'plain') ?? given[0]
  if (chosen === undefined) return undefined
  const value = (listed(chosen) ?? chosen.value)
    .slice(0, 2 * shownChars)
    .replace(/\s+/g, ' ')
    .slice(0, shownChars)
  return { name: chosen.name, value }
}

const listItem = /^ {2}(?:"([^"\\]*)"|(-?[\d.eE+-]+)),?$/

/** A list of texts and numbers, without brackets and quotes. */
function listed({ shape, value }: DrawnValue): string | undefined {
  if (shape !== 'json' || value.length > listMost || !value.startsWith('[')) return undefined
  const items = value
    .split('\n')
    .slice(1, -1)
    .map((line) => listItem.exec(line))
  if (items.length === 0 || items.includes(null)) return undefined
  return items.map((item) => item?.[1] ?? item?.[2]).join(', ')
}
