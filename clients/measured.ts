// What was measured with each real client: `npm run clients -- --record` writes it to measured.json, and `npm run docs` shows it
// on the page about setting up clients.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isPlainObject } from '@assent/core'
import type { Client } from './catalog.ts'
import type { ClientFacts } from './facts.ts'

export interface Measured {
  /** As in the table of known clients. */
  readonly title: string
  readonly version: string
  /** The name that the client sends. */
  readonly name: string
  /** The revision of its calls. */
  readonly revision: string
  /** A newer revision that it tried first. */
  readonly tried?: string
  /** What it declares to show: forms, links. */
  readonly declares: readonly ('form' | 'url')[]
  /** What it answers by itself when no person is at a terminal: actions, or errors with their code. */
  readonly answersByItself: readonly string[]
  readonly wantsProgress: boolean
  /** The longest call that it waited for, in whole seconds. */
  readonly longestCallS: number
}

const file = fileURLToPath(new URL('measured.json', import.meta.url))

export function readMeasured(): readonly Measured[] {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function writeMeasured(measured: readonly Measured[]): void {
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
}

/** @param runs the facts of all runs of the client, at least one */
export function measuredOf({ title }: Client, runs: readonly ClientFacts[]): Measured {
  const [first] = runs
  if (first === undefined) throw new Error(`${title} never connected.`)
  const { name, version, revision, tried, capabilities, wantsProgress } = first
  const actions = runs.flatMap(({ ownAnswers }) => ownAnswers.map(({ action }) => action))
  return {
    title,
    version,
    name,
    revision,
    ...(tried !== undefined && { tried }),
    declares: modesIn(capabilities),
    answersByItself: [...new Set(actions)].sort(),
    wantsProgress,
    longestCallS: Math.floor(Math.max(...runs.map(({ longestCallMs }) => longestCallMs)) / 1_000),
  }
}

/** An empty declaration means forms. */
function modesIn({ elicitation }: ClientFacts['capabilities']): Measured['declares'] {
  if (!isPlainObject(elicitation)) return []
  const modes = (['form', 'url'] as const).filter((mode) => mode in elicitation)
  return modes.length === 0 ? ['form'] : modes
}
