// `status`: the progress, what blocks it, and what can be done next. Writes nothing.

import { compact } from '@assent/core'
import { readBackup } from '../apply/backup.ts'
import { standingOf } from '../apply/restore.ts'
import { OnboardingError } from '../onboarding-error.ts'
import { counted, paragraphs, utcMinute } from '../report.ts'
import type { Site } from '../site.ts'
import { backupFolder } from '../state/folder.ts'
import { readState, type State } from '../state/state.ts'
import { statusText } from '../text/results.ts'
import { isInterrupted } from './interrupted.ts'
import { done, type Outcome } from './outcome.ts'
import { standingInWords } from './rollback.ts'

const words = statusText

export async function runStatus(site: Site): Promise<Outcome> {
  const state = await readState(site)
  const { status, analysis, migration, said } = state
  const interruption = isInterrupted(state) ? await interrupted(site, state) : undefined
  const message = paragraphs([
    [words.is(status.replaceAll('_', ' ')), ...(interruption === undefined ? [words.next[status]] : [])].join(' '),
    analysis === undefined
      ? ''
      : words.analysed(utcMinute(analysis.at), analysis.pattern, counted(analysis.files, 'instructionFile')),
    said === undefined ? '' : words.wrote(said),
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
  const until = utcMinute(rollbackUntil)
  const isOver = site.nowMs() > Date.parse(rollbackUntil)
  const how = isOver ? words.rollbackEnded(until) : words.rollbackUntil(until)
  return `${words.backup(backupFolder(site, id))} ${how}`
}

async function interrupted(site: Site, { migration }: State): Promise<string> {
  const { id, backupDigest, phase } = migration as NonNullable<State['migration']>
  const what = words.interrupted[phase === 'applying' ? 'migration' : 'rollback']
  try {
    const standing = await standingOf(site, await readBackup(site, id, backupDigest))
    const { old, new: changed, other } = standing
    const how =
      changed.length + other.length === 0
        ? words.noneChanged
        : old.length + other.length === 0
          ? words.allChanged
          : words.mixed
    return paragraphs([words.backupComplete(what, how), standingInWords(standing)])
  } catch (error) {
    if (!(error instanceof OnboardingError)) throw error
    return words.unknownFiles(what, `${error.message} ${error.suggestion}`)
  }
}
