// The tools of the servers of both SDK generations: `ask` asks the questions in its arguments, one after the other, and
// counts its runs, so that a test can see that nothing ran twice.
//
// Independent of the transport: the same servers run in this process over HTTP and in a separate one over stdio.

import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface Question {
  readonly mode?: 'form' | 'url'
  readonly message: string
  readonly requestedSchema?: unknown
  readonly url?: string
}

export const whichRegion: Question = {
  mode: 'form',
  message: 'Which region?',
  requestedSchema: {
    type: 'object',
    properties: { region: { type: 'string', enum: ['eu', 'us'] } },
    required: ['region'],
  },
}
export const howMany: Question = {
  mode: 'form',
  message: 'How many replicas?',
  requestedSchema: {
    type: 'object',
    properties: { replicas: { type: 'integer', minimum: 1 } },
    required: ['replicas'],
  },
}
export const signIn: Question = { mode: 'url', message: 'Sign in to the registry.', url: 'https://example.com/sign-in' }

/** How long the older server waits for an answer: longer than any test, however slow the machine is. */
const answerWithinMs = 600_000

const askShape = { questions: z.array(z.record(z.string(), z.unknown())), timeoutMs: z.number().optional() }

/** What a server declares about its tool. */
export interface ToolAnnotations {
  readonly destructiveHint?: boolean
}

export class Count {
  url = ''
  begun = 0
  ended = 0
  saw: unknown[] = []
  forget: () => void = () => undefined
}

export function olderServer(count: Count, annotations?: ToolAnnotations): OlderServer {
  const server = new OlderServer({ name: 'older', version: '1' })
  const definition = { inputSchema: askShape, ...(annotations && { annotations }) }
  server.registerTool('ask', definition, async ({ questions, timeoutMs = answerWithinMs }, extra) => {
    count.begun += 1
    for (const params of questions) {
      const request = { method: 'elicitation/create', params } as never
      const answer = await extra
        .sendRequest(request, ElicitResultSchema, { signal: extra.signal, timeout: timeoutMs })
        .catch((error: Error) => ({ error: error.message }))
      count.saw.push(answer)
    }
    count.ended += 1
    return { content: [{ type: 'text', text: 'done' }] }
  })
  return server
}

export function newestServer(count: Count, annotations?: ToolAnnotations): McpServer {
  const server = new McpServer({ name: 'newest', version: '1' })
  const definition = { inputSchema: z.object(askShape), ...(annotations && { annotations }) }
  server.registerTool('ask', definition, async ({ questions }, ctx) => {
    const round = Number(ctx.mcpReq.requestState<string>() ?? '0')
    if (round === 0) count.begun += 1
    else count.saw.push(ctx.mcpReq.inputResponses?.question)
    const params = questions[round]
    if (params === undefined) {
      count.ended += 1
      return { content: [{ type: 'text', text: 'done' }] }
    }
    const question = { method: 'elicitation/create', params } as never
    return inputRequired({ inputRequests: { question }, requestState: String(round + 1) })
  })
  return server
}
