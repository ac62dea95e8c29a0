// The report on an analysis and a plan: its headings, and why a file changes or stays as it is.

const sections = (count: number) => (count === 1 ? '1 section' : `${count} sections`)
const problems = (count: number) => (count === 1 ? '1 problem' : `${count} problems`)

/** Findings that are no problems are listed below the sentence, so it names them. */
const andNotes = (count: number) => (count === 0 ? '' : count === 1 ? '; 1 note' : `; ${count} notes`)

const things = {
  line: ['line', 'lines'],
  file: ['file', 'files'],
  instructionFile: ['instruction file', 'instruction files'],
  second: ['second', 'seconds'],
} as const
export type Counted = keyof typeof things

/** The first line of the analysis, by its pattern. */
export const patternText = {
  clean: () => 'This repository has no instruction files.',
  structured: (files: string, _problems: number, notes: number) => `No problems found in ${files}${andNotes(notes)}.`,
  unstructured: (files: string, _problems: number, notes: number) =>
    `No problems found in ${files}${andNotes(notes)}, but there are no headings.`,
  messy: (files: string, count: number) => `${problems(count)} found in ${files}.`,
}

export const reportText = {
  readBy: (path: string, size: string, agents: string) => `${path} (${size}; read by ${agents})`,
  notRead: 'Not read:',
  found: 'Found:',
  lineOf: (path: string, line: number) => `${path}, line ${line}`,
  nothingToChange: 'Nothing needs to change: there is nothing to move.',
  wouldChange: (files: string) => `${files} would change:`,
  decided: 'Decided:',
  kept: (id: string, place: string) => `${id}: ${place} is kept, the other line is removed`,
  undecided: (ids: string) =>
    `Not decided: ${ids}. Those lines stay in their files, and an agent that reads both files reads both lines.`,
  change: { new: 'new', removed: 'removed', changed: 'changed' },
  unchanged: 'Stays as it is:',
  diff: 'The change, line by line:',
  cutDiff: 'The change, line by line, as far as it fits here:',
  diffRest: (lines: number, where: string) => `${lines} more lines are not shown here. All of it is in ${where}.`,
  counted: (count: number, thing: Counted) => `${count.toLocaleString('en')} ${things[thing][count === 1 ? 0 : 1]}`,
  utc: (day: string, time: string) => `${day} ${time} UTC`,
}

/** Why a file changes. */
export const editText = {
  adds: (paths: readonly string[]) =>
    paths.length === 1
      ? `adds the instructions that were only in ${paths[0]}`
      : `adds the instructions that were only in one of ${paths.join(', ')}`,
  droppedLines: 'the lines that were decided against are removed',
  noDuplicates: 'repeated instructions are merged',
  headings: 'its instructions are sorted under headings',
  noRepeats: 'what it repeats from AGENTS.md is removed',
  moved: (count: number) => `${sections(count)} moved to AGENTS.md`,
  known: (count: number) => `${sections(count)} already there`,
  kept: (count: number, agent: string | undefined) =>
    `${sections(count)} kept here (${agent === undefined ? '' : `only for ${agent}, or `}not decided yet)`,
  removed: (parts: readonly string[]) => `no longer needed: ${parts.join(', ')}`,
  points: (parts: readonly string[]) => `now points to AGENTS.md${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`,
}

/** Why a file stays as it is. */
export const leftText = {
  taken: (path: string) => `it is where ${path} would be created`,
  renameOneFile: (proper: string) => `rename it to ${proper} first; on some disks the two are one file`,
  rename: (proper: string) => `rename it to ${proper} first`,
  link: (to: string) => `it is a link to ${to}`,
  linkStays: (to: string) => `it is a link to ${to} and stays one`,
  unreadable: 'it cannot be read',
  readOnly: 'it is read-only',
  matching: (patterns: readonly string[]) => `it is for ${patterns.join(', ')} only, and stays a separate rule`,
  chosen: 'its agent decides when to read it, and it stays a separate rule',
  byHand: 'it is read only when somebody adds it by hand',
  noTarget: 'there is no AGENTS.md that it could be moved to',
  notClosed: (line: number | undefined) => `the code block or comment in line ${line} is never closed`,
}

/** Text that is written into instruction files. */
export const writtenText = {
  title: 'Instructions for agents',
  copilotPointer: (link: string) =>
    `The instructions for this repository are in [AGENTS.md](${link}). Read them before anything else.`,
  pointer: 'Read AGENTS.md first: the instructions for this repository are there.',
}
