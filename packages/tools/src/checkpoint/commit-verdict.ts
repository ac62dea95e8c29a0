// Whether a phase was committed, according to git and not to the agent or the person.
//
// Only if git cannot be read does the person's confirmation count, and then the findings state that it was not checked. The
// findings are shown as checked by Assent, so names and subjects, which the agent chooses, can neither add a line to them
// nor end their quotes.

import type { Look } from '../git/look.ts'
import { toolLimits } from '../limits.ts'

export interface CommitVerdict {
  /** Whether the phase is committed, if git can be read. */
  readonly made: 'yes' | 'no' | 'not seen'
  readonly commit?: { readonly id: string; readonly subject: string; readonly messageMatches: boolean }
  readonly newCommits?: number
  readonly treeClean?: boolean
  /** The findings, one sentence each. */
  readonly findings: readonly string[]
  /** Those of them that speak against continuing. */
  readonly problems: readonly string[]
}

/**
 * @param isBeginningKnown whether it is known where the phase began. If not, a last commit with the proposed message
 * counts too.
 */
export function judgeCommit(seen: Look, proposed: string, isBeginningKnown: boolean): CommitVerdict {
  if (seen.kind === 'unseen') {
    const unread = [`Git could not be read: ${seen.why}`]
    return { made: 'not seen', findings: unread, problems: unread }
  }
  const { head, changedCount } = seen
  const commits = seen.since ?? []
  const treeClean = changedCount === 0
  const left = treeClean
    ? 'Nothing is left uncommitted.'
    : `${count(changedCount, 'change')} not committed: ${someOf(seen.changed, changedCount)}.`
  const fitting = commits.find(({ message }) => isSame(message, proposed))
  const newest =
    fitting ??
    commits[0] ??
    (!isBeginningKnown && head !== undefined && isSame(head.message, proposed) ? head : undefined)
  if (newest === undefined) {
    const none = isBeginningKnown ? noneSince : noneFitting
    return {
      made: 'no',
      newCommits: 0,
      treeClean,
      findings: [none, left],
      problems: [none, ...(treeClean ? [] : [left])],
    }
  }
  const commit = { id: newest.id, subject: subjectOf(newest.message), messageMatches: isSame(newest.message, proposed) }
  const newCommits = Math.max(commits.length, 1)
  const made = `Committed: ${short(commit.id)} ${quoted(commit.subject)}${newCommits > 1 ? `, ${newCommits} new commits in all` : ''}.`
  const differs = commit.messageMatches ? [] : ['Its message is not the proposed one.']
  const problems = [...differs, ...(treeClean ? [] : [left])]
  return { made: 'yes', commit, newCommits, treeClean, findings: [made, ...differs, left], problems }
}

const noneSince = 'There is no new commit since the phase began.'
const noneFitting = 'The last commit does not have the proposed message, and it is not known where the phase began.'

/** Compares only the subjects: hooks and editors add trailers and wrap lines. */
function isSame(message: string, proposed: string): boolean {
  return subjectOf(message) === subjectOf(proposed)
}

function subjectOf(message: string): string {
  return (message.trim().split('\n', 1)[0] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 200)
}

export function short(id: string): string {
  return id.slice(0, 9)
}

function count(number: number, thing: string): string {
  return number === 1 ? `One ${thing} is` : `${number} ${thing}s are`
}

/** A subject inside quotes that it cannot end; control and invisible characters are escaped. */
function quoted(subject: string): string {
  return `"${visible(subject.replaceAll('"', "'"))}"`
}

/** An ordinary file name as it is; any other in quotes, as git prints it. */
function plainName(name: string): string {
  return /^[\p{L}\p{N}\p{M}._/@+#~()[\]-][\p{L}\p{N}\p{M}._/@+#~()[\] -]*$/u.test(name) ? name : quoted(name)
}

function visible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** As many names as fit on a line or two. */
export function someOf(names: readonly string[], all: number): string {
  const shown: string[] = []
  let chars = 0
  for (const name of names.slice(0, toolLimits.filesShown)) {
    chars += name.length + 2
    if (chars > toolLimits.namesChars && shown.length > 0) break
    shown.push(plainName(name.slice(0, toolLimits.namesChars)))
  }
  const more = all - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
