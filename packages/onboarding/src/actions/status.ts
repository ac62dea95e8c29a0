// `status`: the progress, what blocks it, and what can be done next. Writes nothing.

import { compact } from '@assent/core'
import { readBackup } from '../apply/backup.ts'
import { standingOf } from '../apply/restore.ts'
import { OnboardingError } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { backupFolder } from '../state/folder.ts'
import { readState, type State } from '../state/state.ts'
import type { Status } from '../state/status.ts'
import { counted, paragraphs, utcMinute } from '../text.ts'
import { isInterrupted } from './interrupted.ts'
import { done, type Outcome } from './outcome.ts'
import { standingInWords } from './rollback.ts'

const next: Readonly<Record<Status, string>> = {
  not_started: 'Nothing has been analysed yet. Next: analyze.',
  analyzed: 'Next: propose writes a plan.',
  proposed: 'Next: approve asks a person about the plan.',
  approved: 'A person approved the plan. Next: migrate asks once more and carries it out.',
  completed: 'The plan was carried out.',
  skipped: 'A person decided to leave the files as they are. analyze begins again.',
  rejected: 'A person rejected the plan. analyze or propose begins again.',
  rolled_back: 'The migration was rolled back. analyze or propose begins again.',
}

export async function runStatus(site: Site): Promise<Outcome> {
  const state = await readState(site)
  const { status, analysis, migration, said } = state
  const interruption = isInterrupted(state) ? await interrupted(site, state) : undefined
  const message = paragraphs([
    `Onboarding is ${status.replaceAll('_', ' ')}. ${interruption === undefined ? next[status] : ''}`.trimEnd(),
    analysis === undefined
      ? ''
      : `Analysed ${utcMinute(analysis.at)}: ${analysis.pattern}, ${counted(analysis.files, 'instruction file')}.`,
    said === undefined ? '' : `The person wrote: ${said}`,
    interruption ?? (migration === undefined ? '' : rollbackInWords(site, migration)),
  ])
  const data = {
    ...compact({ analysis, proposal: state.proposal, approval: state.approval }),
    ...(migration === undefined
      ? {}
      : {
          rollbackUntil: migration.rollbackUntil,
          backup: backupFolder(site, migration.id),
          canRollBack: canRollBack(site, state),
        }),
    interrupted: interruption !== undefined,
  }
  return done(status, message, data)
}

function canRollBack(site: Site, state: State): boolean {
  if (state.migration === undefined) return false
  return isInterrupted(state) || site.nowMs() <= Date.parse(state.migration.rollbackUntil)
}

function rollbackInWords(site: Site, { id, rollbackUntil }: NonNullable<State['migration']>): string {
  const where = `The backup is in ${backupFolder(site, id)}.`
  if (site.nowMs() > Date.parse(rollbackUntil))
    return `${where} The time for a rollback ended ${utcMinute(rollbackUntil)}.`
  return `${where} Until ${utcMinute(rollbackUntil)} rollback restores everything.`
}

async function interrupted(site: Site, { migration }: State): Promise<string> {
  const { id, backupDigest, phase } = migration as NonNullable<State['migration']>
  const what = phase === 'applying' ? 'A migration was interrupted' : 'A rollback was interrupted'
  try {
    const standing = await standingOf(site, await readBackup(site, id, backupDigest))
    const { old, new: changed, other } = standing
    const how =
      changed.length + other.length === 0
        ? 'No file has changed.'
        : old.length + other.length === 0
          ? 'All files have changed, only the record of it is missing.'
          : 'The files are a mix of old and new versions.'
    return paragraphs([
      `${what}. ${how} The backup is complete: rollback restores everything.`,
      standingInWords(standing),
    ])
  } catch (error) {
    if (!(error instanceof OnboardingError)) throw error
    return `${what}, and the state of the files is unknown: ${error.message} ${error.suggestion}`
  }
}
