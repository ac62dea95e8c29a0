// A plan on disk, authenticated: a plan that came with the repository, or that was changed, is not used.

import { digestOf } from '@assent/core'
import { z } from 'zod'
import { bytesDigest } from '../disk/bytes-digest.ts'
import { errorMessage } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { damaged, names, ours, readOurs, writeOurs, writeOursAsJson } from '../state/folder.ts'
import { isMacOf, macOf } from '../state/mac.ts'
import { reasons } from '../text/refusals.ts'
import { inputsDigest, type Plan, planDigest } from './plan.ts'
import { checkAllWritable } from './writable.ts'

const mode = z.int().min(0).max(0o7777)
const planSchema = z.strictObject({
  edits: z.array(
    z.strictObject({
      path: z.string(),
      before: z.strictObject({ digest: z.string(), mode }).nullable(),
      after: z.strictObject({ digest: z.string(), mode, text: z.string() }).nullable(),
      why: z.string(),
    }),
  ),
  inputs: z.array(
    z.strictObject({ path: z.string(), is: z.enum(['text', 'closed', 'link', 'stray']), was: z.string(), mode }),
  ),
  left: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  decided: z.record(z.string(), z.string()),
})
const savedSchema = planSchema.extend({ mac: z.string() })

export interface SavedPlan {
  readonly plan: Plan
  /** Both digests are computed again from what was read. */
  readonly planDigest: string
  readonly inputsDigest: string
}

export async function savePlan(site: Site, plan: Plan, diff: string): Promise<void> {
  await writeOurs(site, ours(site, names.diff), diff)
  checkAllWritable(plan.edits)
  await writeOursAsJson(site, ours(site, names.plan), { ...plan, mac: macOf(site, 'plan', boundDigest(plan)) })
}

function boundDigest(plan: Plan): string {
  return digestOf('onboarding saved plan v1', { plan: planDigest(plan), inputs: inputsDigest(plan.inputs) })
}

export async function readPlan(site: Site): Promise<SavedPlan> {
  const path = ours(site, names.plan)
  const bytes = await readOurs(site, path)
  if (bytes === undefined) throw damaged(path, reasons.state.missing)
  const plan = authenticated(site, path, bytes)
  checkAllWritable(plan.edits)
  for (const { path: edited, after } of plan.edits) {
    if (`${edited.toLowerCase()}/`.startsWith(`${site.stateFolder.toLowerCase()}/`)) {
      throw damaged(path, reasons.state.ownFolder)
    }
    if (after !== null && bytesDigest(Buffer.from(after.text, 'utf8')) !== after.digest) {
      throw damaged(path, reasons.state.otherText(edited))
    }
  }
  return { plan, planDigest: planDigest(plan), inputsDigest: inputsDigest(plan.inputs) }
}

function authenticated(site: Site, path: string, bytes: Buffer): Plan {
  try {
    const { mac, ...plan } = savedSchema.parse(JSON.parse(bytes.toString('utf8')))
    if (isMacOf(site, 'plan', boundDigest(plan), mac)) return plan
  } catch (error) {
    throw damaged(path, errorMessage(error))
  }
  throw damaged(path, reasons.state.foreign)
}
