// Which paths are instruction files, and of what kind.
//
// Names are compared without regard to case: on some disks `agents.md` and `AGENTS.md` are one file, on others only the
// second is read by any agent. A file in the wrong case is found, reported, and never written.

export type InstructionKind =
  | 'agents'
  | 'claude'
  | 'claude-rule'
  | 'gemini'
  | 'copilot'
  | 'copilot-scoped'
  | 'cursor-rule'
  | 'cursor-legacy'
  | 'windsurf'

export interface Recognised {
  readonly kind: InstructionKind
  /** The folder whose files the instructions are for; empty for the whole repository. */
  readonly folder: string
  /** The path as the agents look for it. */
  readonly properPath: string
}

interface Row {
  readonly kind: InstructionKind
  /** Its first group is the folder, when the file may be nested; the rest is the proper spelling. */
  readonly pattern: RegExp
  readonly proper: (folder: string, rest: string) => string
}

const at = (name: string) => (folder: string) => `${folder}${name}`
const within = (start: string, end: string) => (folder: string, rest: string) => `${folder}${start}${rest}${end}`

const rows: readonly Row[] = [
  { kind: 'agents', pattern: /^((?:[^/]+\/)*)agents\.md$/i, proper: at('AGENTS.md') },
  { kind: 'claude', pattern: /^((?:[^/]+\/)*)claude\.md$/i, proper: at('CLAUDE.md') },
  { kind: 'gemini', pattern: /^((?:[^/]+\/)*)gemini\.md$/i, proper: at('GEMINI.md') },
  { kind: 'claude-rule', pattern: /^()\.claude\/rules\/(.+)\.md$/i, proper: within('.claude/rules/', '.md') },
  {
    kind: 'copilot',
    pattern: /^()\.github\/copilot-instructions\.md$/i,
    proper: at('.github/copilot-instructions.md'),
  },
  {
    kind: 'copilot-scoped',
    pattern: /^()\.github\/instructions\/(.+)\.instructions\.md$/i,
    proper: within('.github/instructions/', '.instructions.md'),
  },
  {
    kind: 'cursor-rule',
    pattern: /^((?:[^/]+\/)*?)\.cursor\/rules\/(.+)\.mdc$/i,
    proper: within('.cursor/rules/', '.mdc'),
  },
  { kind: 'cursor-legacy', pattern: /^()\.cursorrules$/i, proper: at('.cursorrules') },
  { kind: 'windsurf', pattern: /^()\.windsurfrules$/i, proper: at('.windsurfrules') },
]

/** The kind of instruction file at this path; undefined for any other path. */
export function recognise(path: string): Recognised | undefined {
  for (const { kind, pattern, proper } of rows) {
    const [matched, folder = '', rest = ''] = pattern.exec(path) ?? []
    if (matched === undefined) continue
    const home = kind === 'claude' && /(^|\/)\.claude\/$/i.test(folder) ? folder.replace(/\.claude\/$/i, '') : folder
    return { kind, folder: home.replace(/\/$/, ''), properPath: proper(folder, rest) }
  }
  return undefined
}

/** Looks like a Cursor rule, but Cursor does not read it because of its ending. */
export function isCursorLookalike(path: string): boolean {
  return /(^|\/)\.cursor\/rules\/.+\.(md|txt)$/i.test(path)
}
