// One tool with two questions, written three times: with `assent.tool`, with `interactive`, and by hand with each generation's
// MCP SDK.
//
// All ask the same forms and return the same text, so that the difference is our SDK.

import { createAssent, type Interaction } from '@assent/sdk'
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

export type Generation = '2025-11-25' | '2026-07-28'
export type Spelling = 'tool' | 'interactive' | 'by hand'

const input = z.object({ env: z.string() })
const config = { description: 'Deploys', inputSchema: input }
const info = { name: 'bench', version: '1.0.0' }

const regions = { eu: 'Europe', us: 'United States' }
const titled = Object.entries(regions).map(([value, title]) => ({ const: value, title }))
const regionForm = {
  type: 'object' as const,
  properties: { choice: { type: 'string' as const, oneOf: titled } },
  required: ['choice'],
}
const replicasForm = {
  type: 'object' as const,
  properties: { number: { type: 'integer' as const, minimum: 1, maximum: 50 } },
  required: ['number'],
}
const regionQuestion = 'Which region?'
const replicasQuestion = 'How many replicas?'

const assent = createAssent({ name: 'bench' })
async function withSdk({ env }: { env: string }, { ask }: Interaction): Promise<string> {
  const region = await ask.choose(regionQuestion, regions)
  const replicas = await ask.number(replicasQuestion, { integer: true, min: 1, max: 50 })
  return done(env, region, replicas)
}
const interactive = assent.interactive<[{ env: string }]>(withSdk, { name: 'deploy' })

interface State {
  readonly region?: string
}
const states = createRequestStateCodec<State>({ key: new Uint8Array(32).fill(7) })

/** Re-entrant: each round reads the answers so far and asks the next question. */
async function byHand20260728({ env }: { env: string }, { mcpReq }: ServerContext) {
  const region = mcpReq.requestState<State>()?.region ?? acceptedContent(mcpReq.inputResponses, 'region')?.choice
  if (typeof region !== 'string') {
    return inputRequired({
      inputRequests: { region: inputRequired.elicit({ message: regionQuestion, requestedSchema: regionForm }) },
      requestState: await states.mint({}),
    })
  }
  const replicas = acceptedContent(mcpReq.inputResponses, 'replicas')?.number
  if (typeof replicas !== 'number') {
    return inputRequired({
      inputRequests: { replicas: inputRequired.elicit({ message: replicasQuestion, requestedSchema: replicasForm }) },
      requestState: await states.mint({ region }),
    })
  }
  return { content: [{ type: 'text' as const, text: done(env, region, replicas) }] }
}

async function byHand20251125({ env }: { env: string }, { mcpReq }: ServerContext) {
  const first = await mcpReq.elicitInput({ mode: 'form', message: regionQuestion, requestedSchema: regionForm })
  if (first.action !== 'accept') throw new Error('no region')
  const second = await mcpReq.elicitInput({ mode: 'form', message: replicasQuestion, requestedSchema: replicasForm })
  if (second.action !== 'accept') throw new Error('no replicas')
  const text = done(env, String(first.content?.choice), Number(second.content?.number))
  return { content: [{ type: 'text' as const, text }] }
}

export function serverFor(generation: Generation, spelling: Spelling): McpServer {
  const isByHand = spelling === 'by hand'
  const server = new McpServer(
    info,
    isByHand && generation === '2026-07-28' ? { requestState: { verify: states.verify } } : {},
  )
  if (spelling === 'tool') assent.tool(server, 'deploy', config, withSdk)
  else if (spelling === 'interactive') server.registerTool('deploy', config, interactive)
  else server.registerTool('deploy', config, generation === '2026-07-28' ? byHand20260728 : byHand20251125)
  return server
}

export function answerTo(message: string): Record<string, string | number> {
  return message === regionQuestion ? { choice: 'eu' } : { number: 4 }
}

export const expected: string = done('test', 'eu', 4)

function done(env: string, region: string, replicas: number): string {
  return `Deployed ${env} to ${region} with ${replicas} replicas`
}
