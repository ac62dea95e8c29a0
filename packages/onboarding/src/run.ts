// Runs the seven actions of the tool, of which four ask a person. Loaded when the tool is first called.

import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { Interaction } from '@assent/sdk'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
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
import { samplingRequired, samplingRound } from './narrate-2026-07-28.ts'
import { narrationOf } from './narration.ts'
import { OnboardingError } from './onboarding-error.ts'
import type { OnboardingOptions } from './options.ts'
import { paragraphs } from './report.ts'
import type { OnboardingInput } from './schema.ts'
import type { Site } from './site.ts'
import { installationIn } from './state/key.ts'
import { readStateAndIgnored } from './state/state.ts'
import { narrationText } from './text/tool.ts'

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: boolean
  [member: string]: unknown
}

/** Runs one action and returns its tool result. */
export async function runOnboarding(
  options: OnboardingOptions,
  server: unknown,
  { action, preview = false, keep = {} }: OnboardingInput,
  interaction: Interaction,
): Promise<ToolResult | InputRequiredResult> {
  let ignored: string | undefined
  try {
    const site = await openSite(options)
    ignored = (await readStateAndIgnored(site)).ignored
    const resultOf = (outcome: Outcome, narration?: Narrated) => outcomeResult(ignored, outcome, narration)
    const narrated = async (run: (isPreview: boolean) => Promise<Examined>) => {
      const round = samplingRound(interaction.context)
      if (round !== undefined && round.response === undefined) {
        const required = samplingRequired((await run(true)).analysis)
        if (required !== undefined) return required
      }
      const { outcome, analysis } = await run(preview)
      const narration =
        round?.response === undefined
          ? await narrate(interaction.context, server, analysis)
          : narrationOf(round.response)
      return resultOf(
        outcome,
        narration.ok ? { by: 'model', text: narration.text } : { by: 'rules', ...why(narration.why) },
      )
    }
    switch (action) {
      case 'status':
        return resultOf(await runStatus(site))
      case 'analyze':
        return await narrated((isPreview) => runAnalyze(site, isPreview))
      case 'propose':
        return await narrated((isPreview) => runPropose(site, { preview: isPreview, keep }))
      case 'approve':
        return resultOf(await runApprove(site, interaction))
      case 'migrate':
        return resultOf(preview ? await previewMigrate(site) : await runMigrate(site, interaction))
      case 'rollback':
        return resultOf(await runRollback(site, interaction))
      case 'skip':
        return resultOf(await runSkip(site, interaction))
    }
  } catch (error) {
    if (!(error instanceof OnboardingError)) throw error
    return errorResult(ignored, error)
  }
}

async function openSite({
  folder,
  home,
  stateFolder = '.copilot-state',
  waitMs,
  rollbackMs = onboardingLimits.rollbackMs,
  nowMs = Date.now,
  reached = () => undefined,
}: OnboardingOptions): Promise<Site> {
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

function outcomeResult(ignored: string | undefined, outcome: Outcome, narration?: Narrated): ToolResult {
  const message = paragraphs([ignored ?? '', outcome.message])
  const warned = ignored === undefined ? {} : { ignored }
  switch (outcome.kind) {
    case 'declined':
      return result(message, { status: 'declined', message, ...warned, comment: outcome.comment })
    case 'canceled':
      return result(message, { status: 'canceled', message, ...warned })
    case 'done': {
      const summary = narration?.by === 'model' ? `\n\n${narrationText.summary(narration.text ?? '')}` : ''
      const extra = narration === undefined ? {} : { narration }
      return result(`${message}${summary}`, { status: outcome.status, message, ...warned, ...outcome.data, ...extra })
    }
  }
}

function errorResult(ignored: string | undefined, { code, message: why, suggestion }: OnboardingError): ToolResult {
  const message = paragraphs([ignored ?? '', why])
  const warned = ignored === undefined ? {} : { ignored }
  const data = { status: 'error', message, ...warned, error: { code, message: why, suggestion } }
  return { ...result(`${code}: ${message}\n\n${suggestion}`, data), isError: true }
}

function result(text: string, structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent }
}
