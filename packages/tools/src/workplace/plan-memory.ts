// What is stored of a plan between its checkpoints: where its current phase began, which phases were committed, and
// what was decided.
//
// One plan for each repository. With a folder it survives a restart, in a file that is replaced atomically. A
// file that cannot be read counts as absent: the person is still asked, and the question states what is unknown.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compact } from '@assent/core'
import { z } from 'zod'
import { toolLimits } from '../limits.ts'

const planSchema = z.object({
  task: z.string(),
  phaseCount: z.number().optional(),
  /** The commit that the current phase began at; empty when the repository had none. */
  began: z.string().optional(),
  /** The phases whose commit a person approved, each once. Without a commit where git could not be read. */
  phases: z.array(z.object({ phase: z.number(), commit: z.string().optional() })).optional(),
  /** How the plan ended, if it ended incomplete. A review still continues its completion file. */
  ended: z.enum(['aborted', 'cancelled', 'left']).optional(),
  decisions: z.array(z.string()),
})
export type Plan = z.output<typeof planSchema>

/** The plan with this phase as a person approved it. */
export function withPhase(plan: Plan, phase: number, commit: string | undefined): Plan {
  const others = (plan.phases ?? []).filter((one) => one.phase !== phase)
  return { ...plan, phases: [...others, { phase, ...compact({ commit }) }] }
}

/** The plan without this phase: it is to be done again. */
export function withoutPhase(plan: Plan, phase: number): Plan {
  return { ...plan, phases: (plan.phases ?? []).filter((one) => one.phase !== phase) }
}

/** An ended plan has no phase under way, so nothing that was committed since counts for a later one. */
export function endedPlan({ began: _over, ...plan }: Plan, ended: NonNullable<Plan['ended']>): Plan {
  return { ...plan, ended }
}

export interface PlanMemory {
  read(root: string): Plan | undefined
  write(root: string, plan: Plan): void
  delete(root: string): void
}

export function planMemory(stateFolder: string | undefined): PlanMemory {
  return stateFolder === undefined ? inThisProcess() : inFiles(join(stateFolder, 'plans'))
}

function inThisProcess(): PlanMemory {
  const plans = new Map<string, Plan>()
  return {
    read: (root) => plans.get(root),
    write: (root, plan) => void plans.set(root, bounded(plan)),
    delete: (root) => void plans.delete(root),
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
    delete: (root) => rmSync(fileOf(root), { force: true }),
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
