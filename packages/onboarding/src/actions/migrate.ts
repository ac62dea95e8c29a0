// `migrate`: a person confirms, a backup is made and verified, and only then do the files change.

import { boolean, form } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { applyEdits, checkBeforehand } from '../apply/apply.ts'
import { type Backup, makeBackup } from '../apply/backup.ts'
import { restore } from '../apply/restore.ts'
import { askPerson, mustBeAsAsked, type PreparedDecision } from '../ask-person.ts'
import { errorMessage, OnboardingError } from '../onboarding-error.ts'
import { diffOf } from '../plan/diff.ts'
import type { SavedPlan } from '../plan/saved.ts'
import type { Site } from '../site.ts'
import { backupFolder } from '../state/folder.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { counted, editsText, paragraphs, planText, shortDigest, utcMinute, wholeDiffText } from '../text.ts'
import { messageOf, type OneQuestion, wholeQuestion } from '../whole-question.ts'
import { currentPlan } from './approve.ts'
import { refuseInterrupted } from './interrupted.ts'
import { canceled, declined, done, type Outcome, withComment } from './outcome.ts'

const migrateForm = form({
  confirmed: boolean({ title: 'Change the files now' }),
  understood_risks: boolean({ title: 'I have read what will change and what can go wrong' }),
})

const partForm = form({ confirmed: boolean({ title: 'Change these lines' }) })

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
    const half = answered.kind === 'accepted' ? ' Both boxes have to be ticked.' : ''
    const message = `A person did not confirm the migration; no file was changed.${half}`
    return declined(message, answered.comment)
  }
  const { asked, comment } = answered
  const state = await alone(site, 'migrate', async () => {
    const now = await readState(site)
    mustBeAsAsked(now, asked, 'migrate')
    return migrate(site, now)
  })
  const until = state.migration?.rollbackUntil ?? ''
  const message = `Done: ${counted(state.migration?.edits ?? 0, 'file')} changed. The backup is in ${backupFolder(site, state.migration?.id ?? '')}. Until ${utcMinute(until)} rollback restores everything.`
  return done(state.status, withComment(message, comment), {
    ...(comment === '' ? {} : { comment }),
    rollbackUntil: until,
    backup: backupFolder(site, state.migration?.id ?? ''),
  })
}

/** What would be done, without asking and without writing. */
export async function previewMigrate(site: Site): Promise<Outcome> {
  const { questions, state, plan } = await ready(site)
  await checkBeforehand(site, plan.edits)
  return done(
    state.status,
    paragraphs([planText(plan), 'This is a preview: no person was asked and nothing was written.']),
    {
      question: questions.map(messageOf).join('\n\n'),
      edits: plan.edits.map(({ path, why }) => ({ path, why })),
    },
  )
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
    throw new OnboardingError(
      'NOT_APPROVED',
      `Nothing may be migrated: the status is ${state.status}, and it has to be approved.`,
      state.status === 'proposed' ? 'Call approve, which asks a person.' : 'Call propose, then approve.',
    )
  }
  const saved = await currentPlan(site, state)
  const until = new Date(site.nowMs() + site.rollbackMs).toISOString()
  const note = paragraphs([
    `A copy of every file is made and checked first. Until ${utcMinute(until)} rollback restores all of it, byte for byte.`,
    'What can go wrong: running agents use the old files until they are restarted; a link from elsewhere into a moved passage no longer works; changes on other branches have to be merged by hand.',
    `Approved ${utcMinute(state.approval.at)}, plan ${shortDigest(saved.planDigest)}.`,
  ])
  const { edits } = saved.plan
  const questions = wholeQuestion(migrateForm, {
    head: `Change ${counted(edits.length, 'file')} of this repository now?`,
    body: [editsText(edits), wholeDiffText(await diffOf(site.root, edits))],
    note,
    tooMuch: `The change of ${counted(edits.length, 'file')}`,
  })
  return { ...saved, questions, state }
}

async function migrate(site: Site, state: State): Promise<State> {
  // Check the approval, the plan and every file again, after the answer and under the lock.
  const { plan, planDigest } = await currentPlan(site, state)
  if (state.status !== 'approved' || state.approval?.planDigest !== planDigest) {
    throw new OnboardingError(
      'NOT_APPROVED',
      'The approval no longer exists. Nothing was changed.',
      'Call propose, then approve.',
    )
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
    throw new OnboardingError(
      'BACKUP_FAILED',
      `The backup could not be made (${errorMessage(error)}), so nothing was changed.`,
      'Free some disk space or make the state folder writable, then call migrate again.',
      { cause: error },
    )
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
    return new OnboardingError(
      'INTERRUPTED',
      `The migration failed (${errorMessage(cause)}), and putting the files back failed too (${errorMessage(error)}).`,
      'Call status to see the state of the files, fix the cause, then call rollback.',
      { cause: error },
    )
  }
  return new OnboardingError(
    isChange ? 'CHANGED_SINCE_APPROVAL' : 'MIGRATION_FAILED',
    `The migration stopped: ${errorMessage(cause)} Everything it had changed was put back.`,
    isChange ? 'Call propose and approve again.' : 'Fix the cause, then call migrate again.',
    { cause },
  )
}
