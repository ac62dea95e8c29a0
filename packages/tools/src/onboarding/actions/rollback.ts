// `rollback`: a person confirms, and the files are as they were before the migration, byte for byte.
//
// It also mends a migration or a rollback that was interrupted; that has no deadline, because a tree that is part old,
// part new is nothing to keep.

import { boolean, form, optional, text } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { mustBeAsAsked, type Prepared, putToPerson } from '../asking.ts'
import { readBackup } from '../disk/backup.ts'
import { restore, type Standing, standingOf } from '../disk/restore.ts'
import { onboardingLimits } from '../limits.ts'
import type { Site } from '../site.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { Stop } from '../stop.ts'
import { wholeQuestion } from '../whole-question.ts'
import { counted, moment, paragraphs } from '../words.ts'
import { isInterrupted } from './interrupted.ts'
import { canceled, commentOf, declined, done, type Outcome } from './outcome.ts'

const rollbackForm = form({
  confirmed: boolean({ title: 'Put the files back' }),
  reason: optional(text({ title: 'Reason', maxLength: onboardingLimits.commentChars })),
})

const partForm = form({ confirmed: boolean({ title: 'Put these files back' }) })

export async function runRollback(site: Site, interaction: Interaction): Promise<Outcome> {
  const answered = await putToPerson(site, interaction, {
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

async function prepareRollback(site: Site): Promise<Prepared> {
  const state = await readState(site)
  const migration = mayRollBack(site, state)
  const standing = await standingOf(site, await readBackup(site, migration.id, migration.backupDigest))
  const head = isInterrupted(state)
    ? `A migration was interrupted. Put ${counted(standing.new.length + standing.other.length, 'file')} back as they were before it?`
    : `Take the migration of ${moment(migration.at)} back?`
  const questions = wholeQuestion(rollbackForm, {
    head,
    body: [standingInWords(standing), displacedInWords(standing)],
    foot: '',
    tooMuch: `The list of ${counted(migration.edits, 'file')}`,
  })
  return { questions, revision: state.revision }
}

function mayRollBack(site: Site, state: State): NonNullable<State['migration']> {
  const { migration } = state
  if (migration === undefined) {
    throw new Stop(
      'NOTHING_TO_ROLL_BACK',
      'There is no migration to take back.',
      'Call status to see how things stand.',
    )
  }
  if (!isInterrupted(state) && site.nowMs() > Date.parse(migration.rollbackUntil)) {
    throw new Stop(
      'ROLLBACK_EXPIRED',
      `The time for taking it back ended ${moment(migration.rollbackUntil)}. Nothing was changed.`,
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
    `Taken back: ${counted(restored.length, 'file')} put back, and all ${backup.manifest.files.length} are as they were before the migration.`,
    kept.length === 0 ? '' : `What was changed in the meantime is kept:\n${kept.join('\n')}`,
  ])
  return done(ended.status, message, { restored, displaced, reason })
}

export function standingInWords({ old, new: changed, other }: Standing): string {
  const lines = [
    ...changed.map((path) => `  ${path}: as the migration left it`),
    ...other.map((path) => `  ${path}: changed since, by somebody else`),
    ...old.map((path) => `  ${path}: as it was before`),
  ]
  return `How the files stand:\n${lines.join('\n')}`
}

function displacedInWords({ other }: Standing): string {
  if (other.length === 0) return ''
  return `What was changed since in ${other.join(', ')} is copied into the backup folder before it is replaced.`
}
