// The choice of clients at a terminal: a numbered list, answered with numbers or names.
//
// It is answered by line, without control characters, so it works with a screen reader and without colours.

import type { InitClient } from '../setup/init/clients.ts'
import { type DetectedClient, whereFound } from '../setup/init/detect.ts'
import { initText } from './text/init.ts'

export type ChoiceRead =
  | { readonly ok: true; readonly clients: readonly InitClient[] }
  | { readonly ok: false; readonly because: string }

export function listText(detected: readonly DetectedClient[]): string {
  const width = Math.max(...detected.map(({ client }) => client.title.length))
  const digits = String(detected.length).length
  const lines = detected.map((one, index) => {
    const number = String(index + 1).padStart(digits)
    return `  ${number}  ${one.client.title.padEnd(width)}  ${whereFound(one)}`
  })
  return lines.join('\n')
}

/** Nothing is chosen unless it is named: an empty line is an empty choice. */
export function readChoice(line: string, detected: readonly DetectedClient[]): ChoiceRead {
  const words = line.split(/[\s,]+/).filter((word) => word !== '')
  const chosen = new Set<InitClient>()
  for (const word of words) {
    const found = clientsFor(word, detected)
    if (found === undefined) {
      return { ok: false, because: initText.choice.notListed(word, detected.length) }
    }
    for (const client of found) chosen.add(client)
  }
  const clients = detected.map(({ client }) => client).filter((client) => chosen.has(client))
  return { ok: true, clients }
}

function clientsFor(word: string, detected: readonly DetectedClient[]): InitClient[] | undefined {
  const clients = detected.map(({ client }) => client)
  if (word.toLowerCase() === 'all') return clients
  const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(word) ?? []
  if (first === undefined || last === undefined) {
    const named = clients.find(({ id, title }) => [id, title.toLowerCase()].includes(word.toLowerCase()))
    return named === undefined ? undefined : [named]
  }
  const [from, to] = [Number(first), Number(last)]
  return from >= 1 && from <= to && to <= clients.length ? clients.slice(from - 1, to) : undefined
}
