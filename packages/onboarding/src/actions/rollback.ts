// `rollback`: a person confirms, and the files are as they were before the migration, byte for byte.
//
// It also repairs an interrupted migration or rollback; that has no deadline, because a mix of old and new files must
// not stay.

import { boolean, form, optional, text } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { readBackup } from '../apply/backup.ts'
import { restore, type Standing, standingOf } from '../apply/restore.ts'
import { askPerson, mustBeAsAsked, type PreparedDecision } from '../ask-person.ts'
import { onboardingLimits } from '../limits.ts'
import { OnboardingError } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { counted, paragraphs, utcMinute } from '../text.ts'
import { wholeQuestion } from '../whole-question.ts'
import { isInterrupted } from './interrupted.ts'
import { canceled, commentOf, declined, done, type Outcome } from './outcome.ts'

const rollbackForm = form({
  confirmed: boolean({ title: 'Put the files back' }),
  reason: optional(text({ title: 'Reason', maxLength: onboardingLimits.commentChars })),
})

const partForm = form({ confirmed: boolean({ title: 'Put these files back' }) })

export async function runRollback(site: Site, interaction: Interaction): Promise<Outcome> {
  const answered = await askPerson(site, interaction, {
    action: 'rollback',
    form: rollbackForm,
    partForm,
    prepare: () => prepareRollback(site),
  })
  if (answered.kind === 'canceled') return canceled('rollback', answered)
  const reason = commentOf(answered, 'reason')
  if (answered.kind === 'declined' || answered.content.confirmed !== true) {
    return declined('A person did not confirm the rollback; no file was changed.', reason)
  }
  const { asked } = answered
  return alone(site, 'rollback', async () => {
    const now = await readState(site)
    mustBeAsAsked(now, asked, 'rollback')
    return rollback(site, now, reason)
  })
}

async function prepareRollback(site: Site): Promise<PreparedDecision> {
  const state = await readState(site)
  const migration = mayRollBack(site, state)
  const standing = await standingOf(site, await readBackup(site, migration.id, migration.backupDigest))
  const head = isInterrupted(state)
    ? `A migration was interrupted. Put ${counted(standing.new.length + standing.other.length, 'file')} back as they were before it?`
    : `Roll back the migration of ${utcMinute(migration.at)}?`
  const questions = wholeQuestion(rollbackForm, {
    head,
    body: [standingInWords(standing), displacedInWords(standing)],
    note: '',
    tooMuch: `The list of ${counted(migration.edits, 'file')}`,
  })
  return { questions, revision: state.revision }
}

function mayRollBack(site: Site, state: State): NonNullable<State['migration']> {
  const { migration } = state
  if (migration === undefined) {
    throw new OnboardingError(
      'NOTHING_TO_ROLL_BACK',
      'There is no migration to roll back.',
      'Call status to see the current status.',
    )
  }
  if (!isInterrupted(state) && site.nowMs() > Date.parse(migration.rollbackUntil)) {
    throw new OnboardingError(
      'ROLLBACK_EXPIRED',
      `The time for a rollback ended ${utcMinute(migration.rollbackUntil)}. Nothing was changed.`,
      'The backup is still there; use it or version control by hand.',
    )
  }
  return migration
}

async function rollback(site: Site, state: State, reason: string): Promise<Outcome> {
  const migration = mayRollBack(site, state)
  // The whole backup is checked before the first file is touched.
  const backup = await readBackup(site, migration.id, migration.backupDigest)
  const rolling = await saveState(site, state, {
    status: state.status,
    migration: { ...migration, phase: 'rolling-back' },
  })
  site.reached('journal says rolling back')
  const { restored, displaced } = await restore(site, backup, 'all')
  site.reached('all files put back')
  const ended = await saveState(site, rolling, {
    status: 'rolled_back',
    migration: undefined,
    approval: undefined,
    proposal: undefined,
    ...(reason === '' ? {} : { said: reason }),
  })
  site.reached('journal says rolled back')
  const kept = Object.entries(displaced).map(([path, where]) => `  ${path} → ${where}`)
  const message = paragraphs([
    `Rolled back: ${counted(restored.length, 'file')} restored; all ${backup.manifest.files.length} are as they were before the migration.`,
    kept.length === 0 ? '' : `Changes made after the migration were saved:\n${kept.join('\n')}`,
  ])
  return done(ended.status, message, { restored, displaced, reason })
}

export function standingInWords({ old, new: changed, other }: Standing): string {
  const lines = [
    ...changed.map((path) => `  ${path}: unchanged since the migration`),
    ...other.map((path) => `  ${path}: changed after the migration`),
    ...old.map((path) => `  ${path}: as it was before`),
  ]
  return `State of the files:\n${lines.join('\n')}`
}

function displacedInWords({ other }: Standing): string {
  if (other.length === 0) return ''
  return `The later changes to ${other.join(', ')} are copied into the backup folder before they are replaced.`
}
