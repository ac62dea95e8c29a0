// The progress of onboarding, stored in one file.
//
// I1  A state counts only if this installation wrote it for this folder (mac.ts) and no newer one was written since
//     (last-revision.ts). Any other state counts as not started, is reported, and is moved aside, not deleted.
// I2  Every save increments the revision. A question is bound to the revision at which it was asked, so that an answer
//     that arrives after another change, or arrives twice, has no effect.

import { rename } from 'node:fs/promises'
import { digestOf } from '@assent/core'
import { z } from 'zod'
import { placeIn, statOf } from '../disk/safe-path.ts'
import { OnboardingError } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { ignoredState } from '../text/refusals.ts'
import { names, ours, readOurs, writeOursAsJson } from './folder.ts'
import { lastRevision, saveLastRevision } from './last-revision.ts'
import { isMacOf, macOf } from './mac.ts'
import { type Status, statuses } from './status.ts'

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
  /** The last migration that changed the files, until it is rolled back. */
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
  /** The comment of the person who rejected, skipped or rolled back. */
  said: z.string().optional(),
})
const savedSchema = stateSchema.extend({ mac: z.string() })
export type State = z.output<typeof stateSchema>

const notStarted: State = {
  version: 1,
  revision: 1,
  status: 'not_started',
  updatedAt: '1970-01-01T00:00:00.000Z',
}

export interface ReadState {
  readonly state: State
  /** Why a state that is there does not count, as a sentence for the agent and its person. */
  readonly ignored?: string
}

export async function readState(site: Site): Promise<State> {
  return (await readStateAndIgnored(site)).state
}

export async function readStateAndIgnored(site: Site): Promise<ReadState> {
  const last = await lastRevision(site)
  const none = { ...notStarted, revision: Math.max(notStarted.revision, last) }
  const path = ours(site, names.state)
  const saved = await readSaved(site, path)
  if (saved === 'foreign') return { state: none, ignored: ignoredState.foreign(path) }
  if (saved === 'absent') {
    const planted = await presentOf(site, [names.plan, names.backup])
    return planted.length === 0 ? { state: none } : { state: none, ignored: ignoredState.foreign(planted.join(', ')) }
  }
  if (saved.revision >= last) return { state: saved }
  return { state: none, ignored: ignoredState.older(path) }
}

async function readSaved(site: Site, path: string): Promise<State | 'absent' | 'foreign'> {
  try {
    const bytes = await readOurs(site, path)
    if (bytes === undefined) return 'absent'
    const { mac, ...state } = savedSchema.parse(JSON.parse(bytes.toString('utf8')))
    return isMacOf(site, 'state', stateDigest(state), mac) ? state : 'foreign'
  } catch (error) {
    // Not a file, not JSON or not a state: not written by us. A link in the path to it is an error of every action.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'foreign'
    if (error instanceof OnboardingError && error.code === 'STATE_DAMAGED') return 'foreign'
    throw error
  }
}

function stateDigest(state: State): string {
  return digestOf('onboarding state v1', { ...state })
}

async function presentOf(site: Site, entries: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of entries) {
    const path = ours(site, entry)
    if ((await statOf(await placeIn(site.root, path))) !== undefined) found.push(path)
  }
  return found
}

export type Change = { readonly [K in keyof State]?: State[K] | undefined } & { readonly status: Status }

/** Members that the change does not contain stay; members that are undefined are removed. */
export async function saveState(site: Site, before: State, change: Change): Promise<State> {
  const merged = {
    ...before,
    ...change,
    version: 1,
    revision: Math.max(before.revision, await lastRevision(site)) + 1,
    updatedAt: new Date(site.nowMs()).toISOString(),
  }
  const state = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as State
  await setForeignAside(site)
  await writeOursAsJson(site, ours(site, names.state), { ...state, mac: macOf(site, 'state', stateDigest(state)) })
  site.reached('state saved')
  await saveLastRevision(site, state.revision)
  return state
}

/** A state that was not written by us is kept next to the new one, to show where it came from. */
async function setForeignAside(site: Site): Promise<void> {
  const path = ours(site, names.state)
  if ((await readSaved(site, path)) !== 'foreign') return
  await rename(await placeIn(site.root, path), await placeIn(site.root, ours(site, `ignored-${site.newId()}.json`)))
}
