// Questions of the built-in tools for pictures: a client starts `assent` in a project, as a coding agent does, and calls its
// tools. A person gets the same cards with the same calls.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentHome, signInLink, startAgent, writeProject } from './agent-client.ts'

const plan = `Add full-text search

Search notes with **SQLite FTS5**, without a new dependency.

1. Migration: the table \`notes_fts\` and its triggers
2. API: \`GET /search?q=\`
3. Page: a search box that highlights matches

| Phase | Risk |
| --- | --- |
| 1 | size of the index |
| 2 | none |
| 3 | none |

\`\`\`sql
CREATE VIRTUAL TABLE notes_fts USING fts5(title, body);
\`\`\``

/** The calls that ask, by the name of the picture. */
const calls: Readonly<Record<string, readonly [tool: string, args: object]>> = {
  'yes-no': [
    'elicit_confirm',
    {
      question: 'Delete the five artifacts in build/?',
      details: 'The new build replaces them. Nothing else uses `build/`.',
      destructive: true,
    },
  ],
  choice: [
    'elicit_choice',
    {
      question: 'Which database should the service use?\n\nPostgreSQL and SQLite are installed.',
      options: [
        { value: 'postgres', label: 'PostgreSQL, as in production' },
        { value: 'sqlite', label: 'SQLite, one file' },
        { value: 'memory', label: 'Keep it in memory' },
      ],
      suggested: 'postgres',
    },
  ],
  plan: [
    'request_plan_approval',
    { planSummary: plan, phaseCount: 3, openQuestions: ['Index archived notes too?', 'Rank by date or relevance?'] },
  ],
  phase: [
    'request_phase_commit_approval',
    {
      phaseNumber: 1,
      phaseSummary: 'Added the table `notes_fts` and its triggers. All 14 tests pass.',
      filesModified: ['src/search.ts', 'test/search.test.ts'],
      commitMessage: 'feat(search): index notes with FTS5',
    },
  ],
  completion: [
    'request_completion_review',
    {
      completionSummary: 'Notes can be searched by title and text. 31 tests pass; the index takes 4 % of the database.',
      phasesCompleted: 3,
      filesModified: ['src/search.ts', 'src/api.ts', 'web/search-box.tsx'],
    },
  ],
}

export interface AgentAsks {
  readonly names: readonly string[]
  /** A link that signs in; it works once. */
  link(): Promise<string>
  /** The start of the headline of each question, by the name of the picture. */
  headline(name: string): string
  close(): Promise<void>
}

/** In a second project, because it writes to the repository. */
const onboarding = 'onboarding'

const headlines: Readonly<Record<string, string>> = {
  [onboarding]: "Approve this plan for the repository's",
  'yes-no': 'Delete the five artifacts',
  choice: 'Which database',
  plan: 'Approve this plan of',
  phase: 'Phase 1',
  completion: 'Is this plan complete?',
}

export async function agentAsks(): Promise<AgentAsks> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-agent-'))
  const project = join(folder, 'notes-service')
  const other = join(folder, 'billing')
  const files = { 'package.json': '{ "name": "notes-service" }\n' }
  writeProject(project, 'feat/search', files)
  mkdirSync(join(project, 'src'))
  writeFileSync(join(project, 'src', 'search.ts'), 'export {}\n')
  writeProject(other, 'main', { 'CLAUDE.md': manyRules('Service', 55), '.cursorrules': manyRules('Page', 35) })
  const home = await agentHome(folder)
  const client = await startAgent('claude-code', project, home)
  for (const [tool, args] of Object.values(calls)) client.ask(tool, args)
  const second = await startAgent('codex-mcp-client', other, home)
  for (const action of ['analyze', 'propose']) await second.call(onboarding, { action })
  second.ask(onboarding, { action: 'approve' })
  return {
    names: [...Object.keys(calls), onboarding],
    link: () => signInLink(project, home),
    headline: (name) => headlines[name] ?? '',
    close: async () => {
      await second.close()
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Instructions whose move to another file is a long diff. */
function manyRules(subject: string, count: number): string {
  const rules = Array.from({ length: count }, (_, at) => `- ${subject} ${at + 1}: test it first.`)
  return `# ${subject}s\n\n${rules.join('\n')}\n`
}
