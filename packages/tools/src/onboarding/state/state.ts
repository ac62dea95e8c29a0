// How far onboarding has come, kept in one file, and the moves between its statuses.
//
// Every save counts the revision up. A question is bound to the revision it was asked at, so that an answer that comes
// after anything else happened, or comes twice, settles nothing.

import { z } from 'zod'
import type { Site } from '../site.ts'
import { wordsOf } from '../stop.ts'
import { damaged, names, ours, readOurs, writeOursAsJson } from './folder.ts'

export const statuses = [
  'not_started',
  'analyzed',
  'proposed',
  'approved',
  'completed',
  'skipped',
  'rejected',
  'rolled_back',
] as const
export type Status = (typeof statuses)[number]

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
const bound = { planDigest: digest, inputsDigest: digest }

const stateSchema = z.strictObject({
  version: z.literal(1),
  revision: z.int().min(1),
  status: z.enum(statuses),
  updatedAt: z.iso.datetime(),
  analysis: z
    .strictObject({
      at: z.iso.datetime(),
      pattern: z.enum(['clean', 'structured', 'unstructured', 'messy']),
      files: z.int(),
      findings: z.record(z.string(), z.int()),
    })
    .optional(),
  proposal: z.strictObject({ at: z.iso.datetime(), ...bound, edits: z.int() }).optional(),
  approval: z.strictObject({ id, at: z.iso.datetime(), ...bound, comment: z.string() }).optional(),
  /** The last migration that touched the files, until it was taken back. */
  migration: z
    .strictObject({
      id,
      at: z.iso.datetime(),
      phase: z.enum(['applying', 'done', 'rolling-back']),
      planDigest: digest,
      backupDigest: digest,
      edits: z.int(),
      rollbackUntil: z.iso.datetime(),
    })
    .optional(),
  /** What the person said who rejected, skipped or rolled back. */
  said: z.string().optional(),
})
export type State = z.output<typeof stateSchema>

const notStarted: State = {
  version: 1,
  revision: 1,
  status: 'not_started',
  updatedAt: '1970-01-01T00:00:00.000Z',
}

export async function readState(site: Site): Promise<State> {
  const path = ours(site, names.state)
  const bytes = await readOurs(site, path)
  if (bytes === undefined) return notStarted
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw damaged(path, wordsOf(error))
  }
  const read = stateSchema.safeParse(value)
  if (read.success) return read.data
  throw damaged(path, read.error.issues.map(({ path: where, message }) => `${where.join('.')}: ${message}`).join('; '))
}

export type Change = { readonly [K in keyof State]?: State[K] | undefined } & { readonly status: Status }

/** What was not said stays; what is undefined goes. */
export async function saveState(site: Site, before: State, change: Change): Promise<State> {
  const merged = {
    ...before,
    ...change,
    version: 1,
    revision: before.revision + 1,
    updatedAt: new Date(site.nowMs()).toISOString(),
  }
  const state = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as State
  await writeOursAsJson(site, ours(site, names.state), state)
  return state
}
