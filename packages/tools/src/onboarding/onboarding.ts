// The tool `onboarding`: seven actions, of which four ask a person.

import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { Interaction } from '@assent/sdk'
import { z } from 'zod'
import type { ToolResult } from '../ending.ts'
import { homeFolder } from '../home.ts'
import { type Registering, register } from '../tool.ts'
import { type Examined, runAnalyze, runPropose } from './actions/analyze.ts'
import { runApprove } from './actions/approve.ts'
import { previewMigrate, runMigrate } from './actions/migrate.ts'
import type { Outcome } from './actions/outcome.ts'
import { runRollback } from './actions/rollback.ts'
import { runSkip } from './actions/skip.ts'
import { runStatus } from './actions/status.ts'
import { checkPath } from './disk/safe-path.ts'
import { onboardingLimits } from './limits.ts'
import { narrate } from './narrate-2025-11-25.ts'
import type { OnboardingSettings } from './settings.ts'
import type { Site } from './site.ts'
import { installationIn } from './state/key.ts'
import { readStateAndIgnored, statuses } from './state/state.ts'
import { Stop } from './stop.ts'
import { paragraphs } from './words.ts'

const actions = ['status', 'analyze', 'propose', 'approve', 'migrate', 'rollback', 'skip'] as const

const input = z.object({
  action: z
    .enum(actions)
    .describe('status and analyze look; propose plans; approve, migrate, rollback and skip ask a person.'),
  preview: z
    .boolean()
    .optional()
    .describe('With analyze, propose or migrate: show what would be done, and write nothing.'),
  keep: z
    .record(z.string().max(16), z.string().max(500))
    .optional()
    .describe(
      'With propose: for a contradiction, by its id, the line that the person chose, as in {"C1": "AGENTS.md:12"}.',
    ),
})

const finding = z.object({
  id: z.string(),
  kind: z.string(),
  weight: z.enum(['problem', 'note']),
  message: z.string(),
  places: z.array(z.object({ path: z.string(), line: z.int(), endLine: z.int().optional() })),
})

const output = z.object({
  status: z
    .enum([...statuses, 'declined', 'canceled', 'error'])
    .describe('How far onboarding is; or declined, canceled, error: this call changed nothing.'),
  message: z.string().describe('The same in plain words, to show to the user.'),
  ignored: z
    .string()
    .optional()
    .describe('State in this repository that does not count, because this Assent installation did not write it.'),
  comment: z.string().optional().describe('What the person wrote.'),
  error: z.object({ code: z.string(), message: z.string(), suggestion: z.string() }).optional(),
  pattern: z.enum(['clean', 'structured', 'unstructured', 'messy']).optional(),
  files: z.array(z.looseObject({ path: z.string() })).optional(),
  findings: z.array(finding).optional(),
  edits: z.array(z.looseObject({ path: z.string(), why: z.string() })).optional(),
  left: z.array(z.object({ path: z.string(), why: z.string() })).optional(),
  diff: z.string().optional(),
  planDigest: z.string().optional(),
  inputsDigest: z.string().optional(),
  question: z.string().optional(),
  analysis: z.looseObject({}).optional(),
  proposal: z.looseObject({}).optional(),
  approval: z.looseObject({}).optional(),
  rollbackUntil: z.string().optional(),
  canRollBack: z.boolean().optional(),
  backup: z.string().optional(),
  interrupted: z.boolean().optional(),
  restored: z.array(z.string()).optional(),
  displaced: z.record(z.string(), z.string()).optional(),
  reason: z.string().optional(),
  narration: z
    .object({ by: z.enum(['rules', 'model']), text: z.string().optional(), why: z.string().optional() })
    .optional(),
})

const description = `Brings a repository's AI instruction files (AGENTS.md, CLAUDE.md, Copilot, Gemini, Cursor and Windsurf rules) into one well-structured AGENTS.md, one human decision at a time.
Call the actions in this order: status, analyze, propose, approve, migrate; rollback takes a migration back.
approve, migrate, rollback and skip put a question to a person and change nothing without their yes. After declined or canceled, stop and ask the user what they want. Never edit the instruction files or the state folder yourself in between: the approval would no longer hold.`

export interface OnboardingPlace {
  /** The user's Assent home, where the key is; the usual one unless said. */
  readonly home?: string | undefined
  readonly nowMs?: (() => number) | undefined
  readonly reached?: Site['reached'] | undefined
}

export function registerOnboarding(
  registering: Registering,
  settings: OnboardingSettings = {},
  place: OnboardingPlace = {},
): void {
  register(registering, 'onboarding', {
    title: 'Onboarding of instruction files',
    description,
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: async (given, interaction) => {
      const site = () => siteOf(registering.workplace.folder, settings, place)
      return runOnboarding(site, registering.server, given, interaction)
    },
  })
}

/** One action, told as a tool tells it. */
export async function runOnboarding(
  openSite: () => Promise<Site>,
  server: unknown,
  { action, preview = false, keep = {} }: z.output<typeof input>,
  interaction: Interaction,
): Promise<ToolResult> {
  let ignored: string | undefined
  try {
    const site = await openSite()
    ignored = (await readStateAndIgnored(site)).ignored
    const told = (outcome: Outcome, narration?: Narrated) => toldWith(ignored, outcome, narration)
    const storied = async ({ outcome, analysis }: Examined) => {
      const narration = await narrate(interaction.context, server, analysis)
      return told(
        outcome,
        narration.told ? { by: 'model', text: narration.text } : { by: 'rules', ...why(narration.why) },
      )
    }
    switch (action) {
      case 'status':
        return told(await runStatus(site))
      case 'analyze':
        return await storied(await runAnalyze(site, preview))
      case 'propose':
        return await storied(await runPropose(site, { preview, keep }))
      case 'approve':
        return told(await runApprove(site, interaction))
      case 'migrate':
        return told(preview ? await previewMigrate(site) : await runMigrate(site, interaction))
      case 'rollback':
        return told(await runRollback(site, interaction))
      case 'skip':
        return told(await runSkip(site, interaction))
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return stopped(ignored, error)
  }
}

export async function siteOf(
  folder: string,
  { stateFolder = '.copilot-state', waitMs, rollbackMs = onboardingLimits.rollbackMs }: OnboardingSettings,
  { home = homeFolder(process.env), nowMs = Date.now, reached = () => undefined }: OnboardingPlace = {},
): Promise<Site> {
  const root = await realpath(folder)
  return {
    root,
    stateFolder: checkPath(stateFolder),
    ...(await installationIn(home, root)),
    waitMs: waitMs ?? onboardingLimits.waitMs,
    isDefaultWait: waitMs === undefined,
    rollbackMs,
    nowMs,
    newId: () => randomBytes(9).toString('hex'),
    reached,
  }
}

function why(reason: string | undefined): { why?: string } {
  return reason === undefined ? {} : { why: reason }
}

interface Narrated {
  readonly by: 'rules' | 'model'
  readonly text?: string
  readonly why?: string
}

function toldWith(ignored: string | undefined, outcome: Outcome, narration?: Narrated): ToolResult {
  const message = paragraphs([ignored ?? '', outcome.message])
  const warned = ignored === undefined ? {} : { ignored }
  switch (outcome.kind) {
    case 'declined':
      return result(message, { status: 'declined', message, ...warned, comment: outcome.comment })
    case 'canceled':
      return result(message, { status: 'canceled', message, ...warned })
    case 'done': {
      const story = narration?.by === 'model' ? `\n\nThe model of this client says about it: ${narration.text}` : ''
      const extra = narration === undefined ? {} : { narration }
      return result(`${message}${story}`, { status: outcome.status, message, ...warned, ...outcome.data, ...extra })
    }
  }
}

function stopped(ignored: string | undefined, { code, message: why, suggestion }: Stop): ToolResult {
  const message = paragraphs([ignored ?? '', why])
  const warned = ignored === undefined ? {} : { ignored }
  const data = { status: 'error', message, ...warned, error: { code, message: why, suggestion } }
  return { ...result(`${code}: ${message}\n\n${suggestion}`, data), isError: true }
}

function result(text: string, structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent }
}
