// `status`: how far things are, what is in the way, and what can be done next. Writes nothing.

import { readBackup } from '../disk/backup.ts'
import { standingOf } from '../disk/restore.ts'
import type { Site } from '../site.ts'
import { backupFolder } from '../state/folder.ts'
import { readState, type State, type Status } from '../state/state.ts'
import { Stop } from '../stop.ts'
import { counted, moment, paragraphs } from '../words.ts'
import { isInterrupted } from './interrupted.ts'
import { done, type Outcome } from './outcome.ts'
import { standingInWords } from './rollback.ts'

const next: Readonly<Record<Status, string>> = {
  not_started: 'Nothing was looked at yet. Next: analyze.',
  analyzed: 'Next: propose writes a plan.',
  proposed: 'Next: approve puts the plan to a person.',
  approved: 'A person approved the plan. Next: migrate asks once more and carries it out.',
  completed: 'The plan was carried out.',
  skipped: 'A person decided to leave the files as they are. analyze begins again.',
  rejected: 'A person rejected the plan. analyze or propose begins again.',
  rolled_back: 'The migration was taken back. analyze or propose begins again.',
}

export async function runStatus(site: Site): Promise<Outcome> {
  const state = await readState(site)
  const { status, analysis, migration, said } = state
  const mended = isInterrupted(state) ? await interrupted(site, state) : undefined
  const message = paragraphs([
    `Onboarding is ${status.replaceAll('_', ' ')}. ${mended === undefined ? next[status] : ''}`.trimEnd(),
    analysis === undefined
      ? ''
      : `Analysed ${moment(analysis.at)}: ${analysis.pattern}, ${counted(analysis.files, 'instruction file')}.`,
    said === undefined ? '' : `A person said: ${said}`,
    mended ?? (migration === undefined ? '' : rollbackInWords(site, migration)),
  ])
  const data = {
    ...(analysis === undefined ? {} : { analysis }),
    ...(state.proposal === undefined ? {} : { proposal: state.proposal }),
    ...(state.approval === undefined ? {} : { approval: state.approval }),
    ...(migration === undefined
      ? {}
      : {
          rollbackUntil: migration.rollbackUntil,
          backup: backupFolder(site, migration.id),
          canRollBack: canRollBack(site, state),
        }),
    interrupted: mended !== undefined,
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
    return `${where} The time for taking it back ended ${moment(rollbackUntil)}.`
  return `${where} Until ${moment(rollbackUntil)} rollback puts everything back.`
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
          : 'The files are part old, part new.'
    return paragraphs([
      `${what}. ${how} The backup is whole: rollback puts everything back.`,
      standingInWords(standing),
    ])
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return `${what}, and how the files stand cannot be said: ${error.message} ${error.suggestion}`
  }
}
