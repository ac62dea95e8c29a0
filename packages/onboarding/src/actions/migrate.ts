// `migrate`: a person confirms, a backup is made and verified, and only then do the files change.

import { boolean, form } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { applyEdits, checkBeforehand } from '../apply/apply.ts'
import { type Backup, makeBackup } from '../apply/backup.ts'
import { restore } from '../apply/restore.ts'
import { askPerson, mustBeAsAsked, type PreparedDecision } from '../ask-person.ts'
import { errorMessage, OnboardingError, refusal } from '../onboarding-error.ts'
import { diffOf } from '../plan/diff.ts'
import type { SavedPlan } from '../plan/saved.ts'
import { counted, editsText, paragraphs, planText, shortDigest, utcMinute, wholeDiffText } from '../report.ts'
import type { Site } from '../site.ts'
import { backupFolder } from '../state/folder.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { migrationText } from '../text/questions.ts'
import { refusals } from '../text/refusals.ts'
import { migrationResults } from '../text/results.ts'
import { messageOf, type OneQuestion, wholeQuestion } from '../whole-question.ts'
import { currentPlan } from './approve.ts'
import { refuseInterrupted } from './interrupted.ts'
import { canceled, declined, done, type Outcome, withComment } from './outcome.ts'

const migrateForm = form({
  confirmed: boolean({ title: migrationText.field }),
  understood_risks: boolean({ title: migrationText.risksField }),
})

const partForm = form({ confirmed: boolean({ title: migrationText.partField }) })

export async function runMigrate(site: Site, interaction: Interaction): Promise<Outcome> {
  const answered = await askPerson(site, interaction, {
    action: 'migrate',
    form: migrateForm,
    partForm,
    prepare: () => prepareMigration(site),
  })
  if (answered.kind === 'canceled') return canceled('migrate', answered)
  const isYes =
    answered.kind === 'accepted' && answered.content.confirmed === true && answered.content.understood_risks === true
  if (answered.kind === 'declined' || !isYes) {
    const half = answered.kind === 'accepted' ? [migrationResults.bothBoxes] : []
    return declined([migrationResults.notConfirmed, ...half].join(' '), answered.comment)
  }
  const { asked, comment } = answered
  const state = await alone(site, 'migrate', async () => {
    const now = await readState(site)
    mustBeAsAsked(now, asked, 'migrate')
    return migrate(site, now)
  })
  const until = state.migration?.rollbackUntil ?? ''
  const backup = backupFolder(site, state.migration?.id ?? '')
  const message = migrationResults.done(counted(state.migration?.edits ?? 0, 'file'), backup, utcMinute(until))
  return done(state.status, withComment(message, comment), {
    ...(comment === '' ? {} : { comment }),
    rollbackUntil: until,
    backup,
  })
}

/** What would be done, without asking and without writing. */
export async function previewMigrate(site: Site): Promise<Outcome> {
  const { questions, state, plan } = await ready(site)
  await checkBeforehand(site, plan.edits)
  return done(state.status, paragraphs([planText(plan), migrationResults.preview]), {
    question: questions.map(messageOf).join('\n\n'),
    edits: plan.edits.map(({ path, why }) => ({ path, why })),
  })
}

async function prepareMigration(site: Site): Promise<PreparedDecision> {
  const { questions, state, plan, planDigest, inputsDigest } = await ready(site)
  await checkBeforehand(site, plan.edits)
  return { questions, revision: state.revision, planDigest, inputsDigest }
}

async function ready(site: Site): Promise<SavedPlan & { questions: OneQuestion[]; state: State }> {
  const state = await readState(site)
  refuseInterrupted(state)
  if (state.status !== 'approved' || state.approval === undefined) {
    throw refusal('NOT_APPROVED', refusals.notApproved(state.status))
  }
  const saved = await currentPlan(site, state)
  const until = new Date(site.nowMs() + site.rollbackMs).toISOString()
  const note = paragraphs([
    migrationText.backup(utcMinute(until)),
    migrationText.risks,
    migrationText.approved(utcMinute(state.approval.at), shortDigest(saved.planDigest)),
  ])
  const { edits } = saved.plan
  const questions = wholeQuestion(migrateForm, {
    head: migrationText.question(counted(edits.length, 'file')),
    body: [editsText(edits), wholeDiffText(await diffOf(site.root, edits))],
    note,
    tooMuch: migrationText.tooMuch(counted(edits.length, 'file')),
  })
  return { ...saved, questions, state }
}

async function migrate(site: Site, state: State): Promise<State> {
  // Check the approval, the plan and every file again, after the answer and under the lock.
  const { plan, planDigest } = await currentPlan(site, state)
  if (state.status !== 'approved' || state.approval?.planDigest !== planDigest) {
    throw refusal('NOT_APPROVED', refusals.approvalGone)
  }
  await checkBeforehand(site, plan.edits)
  site.reached('checked')
  const id = site.newId()
  const backup = await backedUp(site, id, plan.edits)
  const at = new Date(site.nowMs()).toISOString()
  const migration = {
    id,
    at,
    phase: 'applying' as const,
    planDigest,
    backupDigest: backup.digest,
    edits: plan.edits.length,
    rollbackUntil: new Date(site.nowMs() + site.rollbackMs).toISOString(),
  }
  const applying = await saveState(site, state, { status: 'approved', migration })
  site.reached('journal says applying')
  try {
    await applyEdits(site, id, plan.edits)
  } catch (error) {
    throw await restoredAfter(site, applying, state, backup, error)
  }
  const completed = await saveState(site, applying, {
    status: 'completed',
    migration: { ...migration, phase: 'done' },
    approval: undefined,
    proposal: undefined,
  })
  site.reached('journal says completed')
  return completed
}

async function backedUp(site: Site, id: string, edits: SavedPlan['plan']['edits']): Promise<Backup> {
  try {
    return await makeBackup(site, id, edits)
  } catch (error) {
    if (error instanceof OnboardingError && error.code === 'CHANGED_SINCE_APPROVAL') throw error
    throw refusal('BACKUP_FAILED', refusals.backupFailed(errorMessage(error)), { cause: error })
  }
}

/** After a failure, restores the files that we changed, and returns the error. Files that others changed are kept. */
async function restoredAfter(
  site: Site,
  applying: State,
  before: State,
  backup: Backup,
  cause: unknown,
): Promise<OnboardingError> {
  const isChange = cause instanceof OnboardingError && cause.code === 'CHANGED_SINCE_APPROVAL'
  try {
    await restore(site, backup, 'ours')
    await saveState(site, applying, { status: before.status, migration: before.migration })
  } catch (error) {
    return refusal('INTERRUPTED', refusals.restoreFailed(errorMessage(cause), errorMessage(error)), { cause: error })
  }
  const code = isChange ? 'CHANGED_SINCE_APPROVAL' : 'MIGRATION_FAILED'
  return refusal(code, refusals.stopped(errorMessage(cause), isChange), { cause })
}
