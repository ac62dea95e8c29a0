// The arguments and the result of the tool. Loaded to list the tool, so it imports nothing that does the work.

import { z } from 'zod'
import { statuses } from './state/status.ts'
import { toolText } from './text/tool.ts'

const actions = ['status', 'analyze', 'propose', 'approve', 'migrate', 'rollback', 'skip'] as const

export const input = z.object({
  action: z.enum(actions).describe(toolText.input.action),
  preview: z.boolean().optional().describe(toolText.input.preview),
  keep: z.record(z.string().max(16), z.string().max(500)).optional().describe(toolText.input.keep),
})

const finding = z.object({
  id: z.string(),
  kind: z.string(),
  weight: z.enum(['problem', 'note']),
  message: z.string(),
  places: z.array(z.object({ path: z.string(), line: z.int(), endLine: z.int().optional() })),
})

export const output = z.object({
  status: z.enum([...statuses, 'declined', 'canceled', 'error']).describe(toolText.output.status),
  message: z.string().describe(toolText.output.message),
  ignored: z.string().optional().describe(toolText.output.ignored),
  comment: z.string().optional().describe(toolText.output.comment),
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

export type OnboardingInput = z.output<typeof input>
