// Where an agent works: the folder of its project, and what is stored and recorded between its checkpoints.

import { type Look, look } from '../git/look.ts'
import { recordText } from '../text/record.ts'
import { decisionLine, type Recorded, record } from './completion-file.ts'
import { type Plan, type PlanMemory, planMemory } from './plan-memory.ts'

/** What a person decided at a checkpoint, or how the question ended without a decision. */
export interface Decision {
  readonly checkpoint: 'plan' | 'phase' | 'completion'
  /** The chosen decision; `declined`, `dismissed` or `timed_out` without one. */
  readonly decision: string
  readonly task: string
  readonly folder: string
  readonly atMs: number
  readonly phase?: number
  readonly note?: string
  readonly commit?: string
  /** The decision has no effect: the person chose to continue, and there is no new commit. */
  readonly refused?: 'commit_missing'
  /** At the completion review: whether the plan's record and git show every phase committed. */
  readonly isOnRecord?: boolean
}

export interface WorkplaceOptions {
  /** The project: where git is read and plans are kept. */
  readonly folder: string
  /** Where completion files are, from the project's folder; `plans` by default. */
  readonly plansFolder?: string
  /**
   * The user's Assent home: plans are stored there across restarts. Without it, they are kept in this process only.
   */
  readonly stateFolder?: string
  /** Called with every decision at a checkpoint, and with every question that ended without one. */
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

  /** The repository, or the folder itself where git cannot be read. */
  async root(): Promise<string> {
    return rootOf(await this.look(), this.folder)
  }

  /** Stores a decision in the completion file, in the plan memory, and in the host's own record. */
  async keep(
    root: string,
    plan: Plan,
    about: Omit<Decision, 'atMs' | 'task' | 'folder'>,
    words: string,
  ): Promise<RecordedDecision> {
    const atMs = (this.#options.nowMs ?? Date.now)()
    const decisions = [...plan.decisions, decisionLine(atMs, words)]
    const recorded = record(root, this.#plansFolder, plan.task, decisions)
    await this.#options.onDecision?.({ ...about, task: plan.task, folder: root, atMs })
    return { recorded, plan: { ...plan, decisions } }
  }
}

export function rootOf(seen: Look, folder: string): string {
  return seen.kind === 'seen' ? seen.root : folder
}

export interface RecordedDecision {
  readonly recorded: Recorded
  readonly plan: Plan
}

/** Where a decision is recorded, or why it is not: the members of a result, and a sentence. */
export function recordedResult(recorded: Recorded): {
  readonly data: { completionFile?: string }
  readonly words: string
} {
  return recorded.ok
    ? { data: { completionFile: recorded.file }, words: recordText.recorded(recorded.file) }
    : { data: {}, words: recordText.notRecorded(recorded.why) }
}
