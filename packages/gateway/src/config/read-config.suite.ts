// Reads a configuration from a text, with the variables and files that a test states.

import { problemText } from './problem.ts'
import { readConfig } from './read-config.ts'
import type { Surroundings } from './references.ts'

export const oneServer = 'servers: { files: { command: my-server } }'
export const bare: Surroundings = { variables: {}, readFile: () => ({ ok: false, reason: 'the file does not exist' }) }

export function around(variables: Record<string, string>, files: Record<string, string> = {}): Surroundings {
  return {
    variables,
    readFile: (path) => {
      const text = files[path]
      return text === undefined ? { ok: false, reason: 'the file does not exist' } : { ok: true, text }
    },
  }
}

export function mistakes(text: string, surroundings = bare): string[] {
  const read = readConfig(text, surroundings)
  return read.ok ? [] : read.problems.map((problem) => problemText('f', problem))
}

export function configOf(text: string, surroundings = bare) {
  const read = readConfig(text, surroundings)
  if (!read.ok) throw new Error(read.problems.map((problem) => problemText('f', problem)).join('\n'))
  return read.config
}

export const key = Buffer.alloc(32, 7).toString('base64')
