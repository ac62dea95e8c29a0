// Where an agent works: the folder of its project, and what is remembered and recorded there between its checkpoints.

import { type Plan, type PlanMemory, planMemory } from './checkpoint/memory.ts'
import { decisionLine, type Recorded, record } from './checkpoint/record.ts'
import { type Look, look } from './git/look.ts'

/** What a person decided at a checkpoint. */
export interface Decision {
  readonly checkpoint: 'plan' | 'phase' | 'completion'
  readonly decision: string
  readonly task: string
  readonly folder: string
  readonly atMs: number
  readonly phase?: number
  readonly note?: string
  readonly commit?: string
}

export interface WorkplaceOptions {
  /** The project: where git is looked at and plans are kept. */
  readonly folder: string
  /** Where completion files are, from the project's folder; `plans` unless said. */
  readonly plansFolder?: string
  /** Where plans are remembered across restarts; without it, in this process alone. */
  readonly stateFolder?: string
  /** Told of every decision at a checkpoint, for a record of its own. */
  readonly onDecision?: (decision: Decision) => void | Promise<void>
  /** Only for tests. */
  readonly nowMs?: () => number
}

export class Workplace {
  readonly folder: string
  readonly memory: PlanMemory
  readonly #plansFolder: string
  readonly #options: WorkplaceOptions

  constructor(options: WorkplaceOptions) {
    this.folder = options.folder
    this.memory = planMemory(options.stateFolder)
    this.#plansFolder = options.plansFolder ?? 'plans'
    this.#options = options
  }

  /** @param since the commit to count from */
  look(since?: string): Promise<Look> {
    return look(this.folder, { since, besides: this.#plansFolder })
  }

  /** Keeps a decision in the completion file, in what is remembered, and wherever the host keeps its record. */
  async keep(
    root: string,
    plan: Plan,
    about: Omit<Decision, 'atMs' | 'task' | 'folder'>,
    words: string,
  ): Promise<Kept> {
    const atMs = (this.#options.nowMs ?? Date.now)()
    const decisions = [...plan.decisions, decisionLine(atMs, words)]
    const recorded = record(root, this.#plansFolder, plan.task, decisions)
    await this.#options.onDecision?.({ ...about, task: plan.task, folder: root, atMs })
    return { recorded, plan: { ...plan, decisions } }
  }
}

export interface Kept {
  readonly recorded: Recorded
  readonly plan: Plan
}

/** Where a decision stands, or that it stands nowhere, in a sentence. */
export function recordedWords(recorded: Recorded): string {
  return recorded.ok
    ? `It is on record in ${recorded.file}.`
    : `It could not be written to the completion file: ${recorded.why}`
}
