// `analyze` and `propose`: find problems and write down a plan. They ask no person and write only our own files.

import { type Analysis, analyze } from '../analysis/analyze.ts'
import { discover, type Repository } from '../files/discover.ts'
import { refusal } from '../onboarding-error.ts'
import { diffOf } from '../plan/diff.ts'
import { UnknownChoice } from '../plan/leave.ts'
import { makePlan } from '../plan/make-plan.ts'
import { inputsDigest, type Plan, planDigest } from '../plan/plan.ts'
import { savePlan } from '../plan/saved.ts'
import { analysisText, paragraphs, planText, shortDiffText, undecidedText } from '../report.ts'
import type { Site } from '../site.ts'
import { names, ours } from '../state/folder.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { refusals } from '../text/refusals.ts'
import { analysisResults, proposalResults } from '../text/results.ts'
import { refuseInterrupted } from './interrupted.ts'
import { done, type Outcome } from './outcome.ts'

/** With the analysis, for the summary that the client's model may write. */
export interface Examined {
  readonly outcome: Outcome
  readonly analysis: Analysis
}

export async function runAnalyze(site: Site, preview: boolean): Promise<Examined> {
  const { analysis } = await examine(site)
  const data = { pattern: analysis.pattern, files: analysis.files, findings: analysis.findings }
  const message = paragraphs([
    analysisText(analysis),
    analysis.pattern === 'clean' ? analysisResults.nothing : analysisResults.next,
  ])
  if (preview) return { outcome: done((await readState(site)).status, message, data), analysis }
  const state = await alone(site, 'analyze', async () => {
    const before = await readState(site)
    refuseInterrupted(before)
    return saveState(site, before, {
      status: 'analyzed',
      analysis: summary(site, analysis),
      proposal: undefined,
      approval: undefined,
      said: undefined,
    })
  })
  return { outcome: done(state.status, message, data), analysis }
}

export interface Proposing {
  readonly preview: boolean
  /** For a contradiction the line that counts. */
  readonly keep: Readonly<Record<string, string>>
}

export async function runPropose(site: Site, { preview, keep }: Proposing): Promise<Examined> {
  const { repository, analysis } = await examine(site)
  const plan = planned(repository, analysis, keep)
  const diff = await diffOf(site.root, plan.edits)
  const where = ours(site, names.diff)
  const undecided = plan.edits.length === 0 ? '' : undecidedText(analysis.findings, plan.decided)
  const message = paragraphs([
    analysisText(analysis),
    planText(plan),
    plan.edits.length === 0 ? '' : shortDiffText(diff, preview ? proposalResults.thePlan : where),
    undecided,
    undecided === '' ? '' : howToDecide(analysis),
    preview ? proposalResults.preview : '',
    plan.edits.length === 0 ? '' : proposalResults.next,
  ])
  const data = {
    pattern: analysis.pattern,
    findings: analysis.findings,
    edits: plan.edits.map(({ path, before, after, why }) => ({
      path,
      change: before === null ? 'create' : after === null ? 'delete' : 'change',
      why,
    })),
    left: plan.left,
    planDigest: planDigest(plan),
    inputsDigest: inputsDigest(plan.inputs),
    diff,
  }
  if (preview) return { outcome: done((await readState(site)).status, message, data), analysis }
  const state = await alone(site, 'propose', () => saveProposal(site, analysis, plan, diff))
  return { outcome: done(state.status, message, data), analysis }
}

function howToDecide({ findings }: Analysis): string {
  const first = findings.find(({ kind }) => kind === 'contradiction')
  const place = first?.places[0]
  return proposalResults.howToDecide(first?.id, `${place?.path}:${place?.line}`)
}

async function saveProposal(site: Site, analysis: Analysis, plan: Plan, diff: string): Promise<State> {
  const before = await readState(site)
  refuseInterrupted(before)
  const at = new Date(site.nowMs()).toISOString()
  const base = { analysis: summary(site, analysis), approval: undefined, said: undefined }
  // Without an edit there is nothing to approve, so nothing is proposed.
  if (plan.edits.length === 0) return saveState(site, before, { ...base, status: 'analyzed', proposal: undefined })
  await savePlan(site, plan, diff)
  site.reached('plan saved')
  const proposal = {
    at,
    planDigest: planDigest(plan),
    inputsDigest: inputsDigest(plan.inputs),
    edits: plan.edits.length,
  }
  return saveState(site, before, { ...base, status: 'proposed', proposal })
}

function planned(repository: Repository, analysis: Analysis, keep: Proposing['keep']): Plan {
  try {
    return makePlan(repository, analysis, keep)
  } catch (error) {
    if (!(error instanceof UnknownChoice)) throw error
    throw refusal('UNKNOWN_CHOICE', refusals.unknownChoice(error.message))
  }
}

export async function examine(site: Site): Promise<{ repository: Repository; analysis: Analysis }> {
  const repository = await discover(site)
  return { repository, analysis: analyze(repository) }
}

function summary(site: Site, { pattern, files, findings }: Analysis): State['analysis'] {
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  return { at: new Date(site.nowMs()).toISOString(), pattern, files: files.length, findings: counts }
}
