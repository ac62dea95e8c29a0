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
import { refusal } from '../onboarding-error.ts'
import { counted, paragraphs, utcMinute } from '../report.ts'
import type { Site } from '../site.ts'
import { alone } from '../state/lock.ts'
import { readState, type State, saveState } from '../state/state.ts'
import { rollbackText } from '../text/questions.ts'
import { refusals } from '../text/refusals.ts'
import { rollbackResults } from '../text/results.ts'
import { wholeQuestion } from '../whole-question.ts'
import { isInterrupted } from './interrupted.ts'
import { canceled, commentOf, declined, done, type Outcome } from './outcome.ts'

const rollbackForm = form({
  confirmed: boolean({ title: rollbackText.field }),
  reason: optional(text({ title: rollbackText.comment, maxLength: onboardingLimits.commentChars })),
})

const partForm = form({ confirmed: boolean({ title: rollbackText.partField }) })

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
    return declined(rollbackResults.notConfirmed, reason)
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
    ? rollbackText.interruptedQuestion(counted(standing.new.length + standing.other.length, 'file'))
    : rollbackText.question(utcMinute(migration.at))
  const questions = wholeQuestion(rollbackForm, {
    head,
    body: [standingInWords(standing), displacedInWords(standing)],
    note: '',
    tooMuch: rollbackText.tooMuch(counted(migration.edits, 'file')),
  })
  return { questions, revision: state.revision }
}

function mayRollBack(site: Site, state: State): NonNullable<State['migration']> {
  const { migration } = state
  if (migration === undefined) {
    throw refusal('NOTHING_TO_ROLL_BACK', refusals.nothingToRollBack)
  }
  if (!isInterrupted(state) && site.nowMs() > Date.parse(migration.rollbackUntil)) {
    throw refusal('ROLLBACK_EXPIRED', refusals.rollbackExpired(utcMinute(migration.rollbackUntil)))
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
    rollbackResults.done(counted(restored.length, 'file'), backup.manifest.files.length),
    kept.length === 0 ? '' : `${rollbackResults.saved}\n${kept.join('\n')}`,
  ])
  return done(ended.status, message, { restored, displaced, reason })
}

export function standingInWords({ old, new: changed, other }: Standing): string {
  const lines = [
    ...changed.map((path) => `  ${rollbackText.unchanged(path)}`),
    ...other.map((path) => `  ${rollbackText.changedLater(path)}`),
    ...old.map((path) => `  ${rollbackText.asBefore(path)}`),
  ]
  return `${rollbackText.files}\n${lines.join('\n')}`
}

function displacedInWords({ other }: Standing): string {
  return other.length === 0 ? '' : rollbackText.copied(other)
}
