// A plan on disk. What is read back is judged like a stranger's: anybody can write into that folder.

import { z } from 'zod'
import { checkPath } from '../disk/safe-path.ts'
import { bytesDigest } from '../files/bytes-digest.ts'
import type { Site } from '../site.ts'
import { damaged, names, ours, readOurs, writeOurs, writeOursAsJson } from '../state/folder.ts'
import { wordsOf } from '../stop.ts'
import { inputsDigest, type Plan, planDigest } from './plan.ts'

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

export interface SavedPlan {
  readonly plan: Plan
  /** Of what was read, made anew. */
  readonly planDigest: string
  readonly inputsDigest: string
}

export async function savePlan(site: Site, plan: Plan, diff: string): Promise<void> {
  await writeOurs(site, ours(site, names.diff), diff)
  await writeOursAsJson(site, ours(site, names.plan), plan)
}

export async function readPlan(site: Site): Promise<SavedPlan> {
  const path = ours(site, names.plan)
  const bytes = await readOurs(site, path)
  if (bytes === undefined) throw damaged(path, 'it is gone')
  let plan: Plan
  try {
    plan = planSchema.parse(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    throw damaged(path, wordsOf(error))
  }
  const seen = new Set<string>()
  for (const { path: edited, after } of plan.edits) {
    const folded = checkPath(edited).toLowerCase()
    if (seen.has(folded)) throw damaged(path, `it changes ${edited} twice`)
    seen.add(folded)
    if (`${folded}/`.startsWith(`${site.stateFolder.toLowerCase()}/`)) throw damaged(path, 'it changes our own folder')
    if (after !== null && bytesDigest(Buffer.from(after.text, 'utf8')) !== after.digest) {
      throw damaged(path, `the text for ${edited} is not the one it names`)
    }
  }
  return { plan, planDigest: planDigest(plan), inputsDigest: inputsDigest(plan.inputs) }
}
