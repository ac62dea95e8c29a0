// How far a plan is, from its recorded decisions and from git, never from what the agent reports.
//
// A phase counts when a person approved its commit and git has that commit in its history. One commit counts for one
// phase. Where git cannot be read, no phase counts, and the findings give the reason.

import { inHistory, type Look } from '../git/look.ts'
import { completionText } from '../text/completion.ts'
import { gitFindings } from '../text/git-findings.ts'
import type { Plan } from '../workplace/plan-memory.ts'
import { short, someOf } from './commit-verdict.ts'

const words = completionText.findings

export interface Progress {
  /** Of the approved plan; absent without one. */
  readonly planned?: number
  /** As reported by the agent. */
  readonly reported: number
  /** Phases whose commit a person approved. */
  readonly recorded: number
  /** Of those, the ones that git has in its history. */
  readonly inGit: number
  /** Whether every phase that was planned or reported counts, and the plan was not ended before. */
  readonly isComplete: boolean
  /** What a person should know, one sentence each. */
  readonly findings: readonly string[]
  /** Those of them that speak against closing the plan. */
  readonly problems: readonly string[]
}

interface Found {
  readonly text: string
  readonly isProblem?: boolean
}

type Phase = NonNullable<Plan['phases']>[number]

export async function progressOf(plan: Plan | undefined, reported: number, seen: Look): Promise<Progress> {
  const needed = Math.max(plan?.phaseCount ?? 0, reported)
  const phases = [...(plan?.phases ?? [])].filter(({ phase }) => phase <= needed).sort((a, b) => a.phase - b.phase)
  const known =
    seen.kind === 'unseen'
      ? seen.why
      : await inHistory(
          seen.root,
          phases.flatMap(({ commit }) => commit ?? []),
        )
  const counted = typeof known === 'string' ? [] : countedOf(phases, known)
  const isOver = plan?.ended !== undefined
  const found = [
    ...planFindings(plan, reported),
    ...phaseFindings(needed, phases, counted, typeof known === 'string' ? known : undefined),
    ...treeFindings(seen),
  ]
  return {
    ...(plan?.phaseCount === undefined ? {} : { planned: plan.phaseCount }),
    reported,
    recorded: phases.length,
    inGit: counted.length,
    isComplete: plan?.phaseCount !== undefined && !isOver && counted.length === needed,
    findings: found.map(({ text }) => text),
    problems: found.flatMap(({ text, isProblem }) => (isProblem === true ? [text] : [])),
  }
}

export function progressWords({ planned = 0, reported, inGit }: Progress): string {
  const needed = Math.max(planned, reported)
  return completionText.progress(inGit, needed)
}

function countedOf(phases: readonly Phase[], known: ReadonlySet<string>): Phase[] {
  const used = new Set<string>()
  return phases.filter(({ commit }) => {
    if (commit === undefined || !known.has(commit) || used.has(commit)) return false
    used.add(commit)
    return true
  })
}

function planFindings(plan: Plan | undefined, reported: number): Found[] {
  const planned = plan?.phaseCount
  return [
    planned === undefined
      ? { text: words.noPlan(reported), isProblem: true }
      : { text: words.planned(planned, reported) },
    ...(plan?.ended === undefined ? [] : [{ text: words.ended[plan.ended], isProblem: true }]),
  ]
}

function phaseFindings(
  needed: number,
  phases: readonly Phase[],
  counted: readonly Phase[],
  unread: string | undefined,
): Found[] {
  if (unread !== undefined) return [{ text: words.gitUnread(unread), isProblem: true }]
  const isCounted = (phase: number) => counted.some((one) => one.phase === phase)
  const lost = phases.filter(({ phase }) => !isCounted(phase))
  const missing = Array.from({ length: needed }, (_, index) => index + 1).filter(
    (phase) => !phases.some((one) => one.phase === phase),
  )
  const numbers = someOf(missing.map(String), missing.length)
  return [
    ...(counted.length === 0 ? [] : [{ text: words.committed(phaseNames(counted)) }]),
    ...(missing.length === 0 ? [] : [{ text: words.missing(missing.length, numbers), isProblem: true }]),
    ...(lost.length === 0 ? [] : [{ text: words.notInHistory(phaseNames(lost)), isProblem: true }]),
  ]
}

function phaseNames(phases: readonly Phase[]): string {
  const names = phases.map(({ phase, commit }) => words.phase(phase, commit === undefined ? undefined : short(commit)))
  return someOf(names, names.length)
}

function treeFindings(seen: Look): Found[] {
  if (seen.kind === 'unseen') return []
  return [
    seen.changedCount === 0
      ? { text: gitFindings.clean }
      : { text: gitFindings.uncommittedFiles(someOf(seen.changed, seen.changedCount)), isProblem: true },
  ]
}
