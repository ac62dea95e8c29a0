// Whether a phase was committed, according to git and not to the agent or the person.
//
// Only if git cannot be read does the person's confirmation count, and then the findings state that it was not checked. The
// findings are shown as checked by Assent, so names and subjects, which the agent chooses, can neither add a line to them
// nor end their quotes.

import type { Look } from '../git/look.ts'
import { toolLimits } from '../limits.ts'
import { gitFindings } from '../text/git-findings.ts'

export interface CommitVerdict {
  /** Whether the phase is committed, if git can be read. */
  readonly made: 'yes' | 'no' | 'not-seen'
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
    const unread = [gitFindings.unread(seen.why)]
    return { made: 'not-seen', findings: unread, problems: unread }
  }
  const { head, changedCount } = seen
  const commits = seen.since ?? []
  const treeClean = changedCount === 0
  const left = treeClean ? gitFindings.clean : gitFindings.uncommitted(changedCount, someOf(seen.changed, changedCount))
  const fitting = commits.find(({ message }) => isSame(message, proposed))
  const newest =
    fitting ??
    commits[0] ??
    (!isBeginningKnown && head !== undefined && isSame(head.message, proposed) ? head : undefined)
  if (newest === undefined) {
    const none = isBeginningKnown ? gitFindings.noneSince : gitFindings.noneFitting
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
  const made = gitFindings.committed(short(commit.id), quoted(commit.subject), newCommits)
  const differs = commit.messageMatches ? [] : [gitFindings.otherMessage]
  const problems = [...differs, ...(treeClean ? [] : [left])]
  return { made: 'yes', commit, newCommits, treeClean, findings: [made, ...differs, left], problems }
}

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
  return shown.join(', ') + (more > 0 ? gitFindings.andMore(more) : '')
}
