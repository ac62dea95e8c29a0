// The fixture tools that do not ask: content of every kind, errors, progress, logging, changes.
//
// Names and contents are fixed by the official suite. The caller announces changes of the lists, because a 2026-07-28
// server is created for each request and has no list of its own.
import type { JsonSchemaType } from '@modelcontextprotocol/server'
import { type FixtureTool, pause, text } from './server-tool.ts'

/** The smallest PNG: one red pixel. */
export const PIXEL_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV header with one silent sample. */
const SILENT_AUDIO_BASE64 = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=='

const STEP_MS = 50

/** Notifies all listeners of both generations. */
export interface Changes {
  toolsChanged(): void
  promptsChanged(): void
}

export function contentTools(changes: Changes): readonly FixtureTool[] {
  return [...PLAIN, ...TELLING, ...SCHEMAS, ...changeTools(changes)]
}

const PLAIN: readonly FixtureTool[] = [
  {
    name: 'test_simple_text',
    description: 'Answers with one line of text',
    run: () => text('This is a simple text response for testing.'),
  },
  {
    name: 'test_image_content',
    description: 'Answers with an image',
    run: () => ({ content: [{ type: 'image', data: PIXEL_BASE64, mimeType: 'image/png' }] }),
  },
  {
    name: 'test_audio_content',
    description: 'Answers with a sound',
    run: () => ({ content: [{ type: 'audio', data: SILENT_AUDIO_BASE64, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with an embedded resource',
    run: () => ({
      content: [
        { type: 'resource', resource: embedded('test://embedded-resource', 'text/plain', 'Embedded content.') },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PIXEL_BASE64, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
        },
      ],
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Always fails',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Sends progress, then its result: nothing on its stream may be a request',
    run: async (_args, { mcpReq }) => {
      await report(mcpReq, 1, 1)
      return text('The stream held notifications and this result.')
    },
  },
]

const TELLING: readonly FixtureTool[] = [
  {
    name: 'test_tool_with_progress',
    description: 'Reports progress three times',
    run: async (_args, { mcpReq }) => {
      for (const progress of [0, 50, 100]) {
        await report(mcpReq, progress, 100)
        await pause(STEP_MS)
      }
      return text('Progress was reported.')
    },
  },
  {
    name: 'test_tool_with_logging',
    description: 'Logs three times while it runs',
    run: async (_args, { mcpReq }) => {
      for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', step)
        await pause(STEP_MS)
      }
      return text('The log was written.')
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Logs once, for those requests that asked for logs',
    run: async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'test_logging_tool ran')
      return text('Logged if the request asked for it.')
    },
  },
]

// A separate constant, because the SDK's schema type does not have the annotation.
const IN_HEADER = { type: 'string', 'x-mcp-header': 'Region' } as const

const SCHEMAS: readonly FixtureTool[] = [
  {
    name: 'test_x_mcp_header',
    description: 'Has an argument that travels in a header too',
    input: { type: 'object', properties: { region: IN_HEADER, level: { type: 'integer' } } },
    run: ({ region }) => text(`region: ${String(region)}`),
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema that uses the vocabulary of JSON Schema 2020-12',
    input: contactSchema(),
    run: (args) => text(JSON.stringify(args)),
  },
]

function changeTools(changes: Changes): readonly FixtureTool[] {
  return [
    {
      name: 'test_trigger_tool_change',
      description: 'Announces that the list of tools changed',
      run: () => {
        changes.toolsChanged()
        return text('Announced.')
      },
    },
    {
      name: 'test_trigger_prompt_change',
      description: 'Announces that the list of prompts changed',
      run: () => {
        changes.promptsChanged()
        return text('Announced.')
      },
    },
  ]
}

/** Sends nothing without a token: a server must not report progress that was not requested. */
async function report(mcpReq: Parameters<FixtureTool['run']>[1]['mcpReq'], progress: number, total: number) {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
}

function embedded(uri: string, mimeType: string, words: string) {
  return { uri, mimeType, text: words }
}

function contactSchema(): JsonSchemaType {
  const address = {
    $anchor: 'addressDef',
    type: 'object',
    properties: { street: { type: 'string' }, city: { type: 'string' } },
  } as const
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and a schema is never awaited
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  }
}
