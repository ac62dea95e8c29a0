// Finds a client in the table by its declared name and version.
//
// A name is only a claim: a client that declares a false one gets the limits of another row and nothing more. No row
// allows a client anything that the careful traits would not.

import type { JsonObject } from '@assent/core'
import { stringAt } from '../../protocol/messages.ts'
import { type KnownClient, knownClients } from './known-clients.ts'
import { type ClientTraits, carefulTraits } from './traits.ts'

export function traitsOf(info: JsonObject, table: readonly KnownClient[] = knownClients): ClientTraits {
  return knownClient(info, table) ?? carefulTraits
}

export function knownClient(info: JsonObject, table: readonly KnownClient[] = knownClients): KnownClient | undefined {
  const name = stringAt(info, 'name')
  if (name === undefined) return undefined
  const version = stringAt(info, 'version') ?? ''
  return table.find((row) => row.names.some((one) => isNamed(name, one)) && isWithin(version, row))
}

function isNamed(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** A version that cannot be parsed matches only the rows for all versions. */
function isWithin(version: string, { from, before }: KnownClient): boolean {
  if (from === undefined && before === undefined) return true
  const numbers = numbersOf(version)
  if (numbers === undefined) return false
  return (from === undefined || order(numbers, from) >= 0) && (before === undefined || order(numbers, before) < 0)
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^\d{1,9}(\.\d{1,9}){0,3}/.exec(version)?.[0].split('.').map(Number)
}

function order(numbers: readonly number[], bound: string): number {
  const others = numbersOf(bound) ?? []
  for (let at = 0; at < Math.max(numbers.length, others.length); at++) {
    const difference = (numbers[at] ?? 0) - (others[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
