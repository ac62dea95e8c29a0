// What is remembered of a plan between its checkpoints: where its present phase began, and what was decided.
//
// One plan for each repository. With a folder it survives a restart; it is a file of ours alone, replaced as a whole, and
// one that cannot be read is as good as none: the person is asked all the same, and told that the beginning is not known.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { toolLimits } from '../limits.ts'

const planSchema = z.object({
  task: z.string(),
  phaseCount: z.number().optional(),
  /** The commit that the present phase began at; empty when the repository had none. */
  began: z.string().optional(),
  decisions: z.array(z.string()),
})
export type Plan = z.output<typeof planSchema>

export interface PlanMemory {
  read(root: string): Plan | undefined
  write(root: string, plan: Plan): void
  forget(root: string): void
}

export function planMemory(stateFolder: string | undefined): PlanMemory {
  return stateFolder === undefined ? inThisProcess() : inFiles(join(stateFolder, 'plans'))
}

function inThisProcess(): PlanMemory {
  const plans = new Map<string, Plan>()
  return {
    read: (root) => plans.get(root),
    write: (root, plan) => void plans.set(root, bounded(plan)),
    forget: (root) => void plans.delete(root),
  }
}

function inFiles(folder: string): PlanMemory {
  const fileOf = (root: string) => join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.json`)
  return {
    read: (root) => readPlan(fileOf(root)),
    write: (root, plan) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const draft = join(folder, `${randomUUID()}.new`)
      writeFileSync(draft, JSON.stringify({ root, ...bounded(plan) }), { mode: 0o600 })
      renameSync(draft, fileOf(root))
    },
    forget: (root) => rmSync(fileOf(root), { force: true }),
  }
}

function readPlan(file: string): Plan | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return planSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function bounded(plan: Plan): Plan {
  return { ...plan, decisions: plan.decisions.slice(-toolLimits.decisions) }
}
