// `approve`: a person reviews the analysis and the plan and decides. A yes is bound to the digests of both.

import { boolean, form, optional, text } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import type { Analysis } from '../analysis/analyze.ts'
import { askPerson, mustBeAsAsked, type PreparedDecision } from '../ask-person.ts'
import type { Repository } from '../files/discover.ts'
import { onboardingLimits } from '../limits.ts'
import { type OnboardingError, refusal } from '../onboarding-error.ts'
import { diffOf } from '../plan/diff.ts'
import { UnknownChoice } from '../plan/leave.ts'
import { makePlan } from '../plan/make-plan.ts'
import { planDigest as digestOfPlan, inputOf, inputsDigest, type Plan } from '../plan/plan.ts'
import { readPlan, type SavedPlan } from '../plan/saved.ts'
import {
  counted,
  findingsForPerson,
  patternSentence,
  planText,
  shortDigest,
  undecidedText,
  wholeDiffText,
} from '../report.ts'
import type { Site } from '../site.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { approvalText } from '../text/questions.ts'
import { reasons, refusals } from '../text/refusals.ts'
import { approvalResults } from '../text/results.ts'
import { wholeQuestion } from '../whole-question.ts'
import { examine } from './analyze.ts'
import { refuseInterrupted } from './interrupted.ts'
import { canceled, commentOf, declined, done, type Outcome, withComment } from './outcome.ts'

const partForm = form({ approved: boolean({ title: approvalText.partField }) })
const approveForm = form({
  approved: boolean({ title: approvalText.field, description: approvalText.help }),
  comment: optional(text({ title: approvalText.comment, maxLength: onboardingLimits.commentChars })),
})

export async function runApprove(site: Site, interaction: Interaction): Promise<Outcome> {
  const answered = await askPerson(site, interaction, {
    action: 'approve',
    form: approveForm,
    partForm,
    prepare: () => prepareApproval(site),
  })
  if (answered.kind === 'canceled') return canceled('approve', answered)
  if (answered.kind === 'declined') return rejected(site, answered.comment, answered.asked)
  const { content, asked } = answered
  const comment = commentOf(answered, 'comment')
  if (content.approved !== true) return rejected(site, comment, asked)
  const state = await alone(site, 'approve', async () => {
    const now = await readState(site)
    mustBeAsAsked(now, asked, 'approve')
    const { planDigest, inputsDigest: from } = await currentPlan(site, now)
    if (planDigest !== asked.planDigest || from !== asked.inputsDigest) throw changed()
    const at = new Date(site.nowMs()).toISOString()
    const approval = { id: site.newId(), at, planDigest, inputsDigest: from, comment }
    return saveState(site, now, { status: 'approved', approval, said: undefined })
  })
  return done(state.status, withComment(approvalResults.approved, comment), {
    comment,
    planDigest: state.approval?.planDigest,
    inputsDigest: state.approval?.inputsDigest,
  })
}

async function rejected(site: Site, comment: string, asked: PreparedDecision): Promise<Outcome> {
  await alone(site, 'approve', async () => {
    const now = await readState(site)
    // A no is stored only if nothing else happened since, so that it does not undo a later yes to something else.
    if (now.revision !== asked.revision) return
    await saveState(site, now, {
      status: 'rejected',
      approval: undefined,
      ...(comment === '' ? {} : { said: comment }),
    })
  })
  return declined(approvalResults.rejected, comment)
}

async function prepareApproval(site: Site): Promise<PreparedDecision> {
  const state = await readState(site)
  refuseInterrupted(state)
  if (state.status !== 'proposed') {
    throw refusal('NOT_PROPOSED', refusals.notProposed(state.status))
  }
  const { plan, planDigest, inputsDigest: from } = await currentPlan(site, state)
  const { analysis } = await examine(site)
  const questions = wholeQuestion(approveForm, {
    head: approvalText.question,
    body: [
      patternSentence(analysis),
      findingsForPerson(analysis.findings),
      planText(plan),
      undecidedText(analysis.findings, plan.decided),
      // Drawn from the plan and the files themselves; the saved diff is for reading only and could have been changed.
      wholeDiffText(await diffOf(site.root, plan.edits)),
    ],
    note: approvalText.note(shortDigest(planDigest)),
    tooMuch: approvalText.tooMuch(counted(plan.edits.length, 'file')),
  })
  return { questions, revision: state.revision, planDigest, inputsDigest: from }
}

/**
 * The saved plan, after three checks: it is the one that the state names, the files are those it was made from, and
 * planning the repository again gives exactly this plan.
 */
export async function currentPlan(site: Site, state: State): Promise<SavedPlan> {
  const saved = await readPlan(site)
  const bound = state.approval ?? state.proposal
  if (bound === undefined || saved.planDigest !== bound.planDigest || saved.inputsDigest !== bound.inputsDigest) {
    throw changed(reasons.plan.notProposed)
  }
  const { repository, analysis } = await examine(site)
  const inputs = repository.files.map(inputOf)
  if (inputsDigest(inputs) !== saved.inputsDigest) throw changed(whatChanged(saved, inputs))
  const replanned = planAgain(repository, analysis, saved.plan.decided)
  if (replanned === undefined || digestOfPlan(replanned) !== saved.planDigest) {
    throw changed(reasons.plan.replanned)
  }
  return saved
}

/** Undefined when the decisions in the plan no longer fit the repository. */
function planAgain(repository: Repository, analysis: Analysis, decided: Plan['decided']): Plan | undefined {
  try {
    return makePlan(repository, analysis, decided)
  } catch (error) {
    if (error instanceof UnknownChoice) return undefined
    throw error
  }
}

function whatChanged({ plan }: SavedPlan, now: SavedPlan['plan']['inputs']): string {
  const before = new Map(plan.inputs.map((input) => [input.path, JSON.stringify(input)]))
  const after = new Map(now.map((input) => [input.path, JSON.stringify(input)]))
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
  return reasons.plan.filesChanged(paths.slice(0, 5), paths.length - 5)
}

function changed(what: string = reasons.plan.changedMeanwhile): OnboardingError {
  return refusal('CHANGED_SINCE_APPROVAL', refusals.changed(what))
}
