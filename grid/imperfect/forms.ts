// Questions in the format of other SDKs, and what a person answers.
//
// Each format was taken from that SDK's public source, named below. None of their code is here: only what they would
// send for a small form.

import type { Wire } from './ordinary.ts'

export interface Form {
  readonly question: Wire
  readonly content: Wire
}

/**
 * mcp-use (libraries/typescript/packages/mcp-use/src/server/tools/tool-execution-helpers.ts) converts a Zod schema with
 * this function of the official SDK 1.x, so the form is made with it here too.
 */
async function fromZod(): Promise<Form> {
  const { toJsonSchemaCompat } = await import('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js')
  const { z } = await import('zod')
  const shape = z.object({
    name: z.string().min(1).max(80).describe('Your name'),
    email: z.email(),
    age: z.number().int().min(0).max(150),
    ratio: z.number().positive().optional(),
    plan: z.enum(['free', 'paid']).default('free'),
    news: z.boolean().default(true),
  })
  return {
    question: { mode: 'form', message: 'Who are you?', requestedSchema: toJsonSchemaCompat(shape) },
    content: { name: 'Ann', email: 'ann@example.com', age: 41, ratio: 0.5, plan: 'paid', news: false },
  }
}

const plain: Readonly<Record<string, Form>> = {
  // modelcontextprotocol/python-sdk, src/mcp/server/elicitation.py: what pydantic's model_json_schema() writes. Earlier
  // versions sent optional fields as `anyOf` with null; later ones leave them out of `required`.
  'Python SDK': {
    question: {
      message: 'No table at that time. Another one?',
      requestedSchema: {
        title: 'BookingPreferences',
        type: 'object',
        description: 'What to look for instead.',
        properties: {
          checkAlternative: { title: 'Checkalternative', type: 'boolean', description: 'Look at another date?' },
          alternativeDate: { default: '2026-12-26', title: 'Alternativedate', type: 'string', format: 'date' },
          guests: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Guests' },
          nights: { exclusiveMinimum: 0, maximum: 30, title: 'Nights', type: 'integer' },
          code: { pattern: '^[A-Z]{3}[0-9]+$', title: 'Code', type: 'string' },
          tags: { items: { type: 'string' }, title: 'Tags', type: 'array' },
          room: { enum: ['single', 'double'], title: 'Room', type: 'string' },
        },
        required: ['checkAlternative', 'nights', 'code', 'tags', 'room'],
      },
    },
    content: {
      checkAlternative: true,
      alternativeDate: '2026-12-27',
      guests: 4,
      nights: 2,
      code: 'ABC12',
      tags: ['window', 'quiet'],
      room: 'double',
    },
  },
  // jlowin/fastmcp, src/fastmcp/server/elicitation.py: a single value is wrapped in an object with the member `value`.
  'FastMCP for Python, one value': {
    question: {
      message: 'What is your name?',
      requestedSchema: {
        properties: { value: { title: 'Value', type: 'string' } },
        required: ['value'],
        title: 'ScalarElicitationType[str]',
        type: 'object',
      },
    },
    content: { value: 'Ann' },
  },
  // The same file: choices with titles have no type, and several choices have items without one.
  'FastMCP for Python, choices': {
    question: {
      message: 'How urgent is it?',
      requestedSchema: {
        properties: {
          priority: {
            oneOf: [
              { const: 'low', title: 'Low priority' },
              { const: 'high', title: 'High priority' },
            ],
          },
          areas: { type: 'array', items: { enum: ['ui', 'api', 'docs'] } },
          owners: {
            type: 'array',
            items: {
              anyOf: [
                { const: 'a', title: 'Ann' },
                { const: 'b', title: 'Ben' },
              ],
            },
          },
          channel: { enum: ['mail', 'chat'], title: 'Channel', type: 'string' },
        },
        required: ['priority', 'areas', 'owners', 'channel'],
        type: 'object',
      },
    },
    content: { priority: 'high', areas: ['ui', 'docs'], owners: ['b'], channel: 'chat' },
  },
  // The same file: a question without a value, which is only accepted or not.
  'FastMCP for Python, no value': {
    question: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
    content: {},
  },
  // punkpeye/fastmcp, src/FastMCP.ts and README: parameters are passed to SDK 1.x as they are written.
  'FastMCP for TypeScript': {
    question: {
      message: 'Which city, and in which unit?',
      requestedSchema: {
        type: 'object',
        properties: {
          city: { type: 'string', title: 'City', description: 'The city to look up' },
          unit: { type: 'string', enum: ['celsius', 'fahrenheit'], enumNames: ['Celsius', 'Fahrenheit'] },
          days: { type: 'number', title: 'Days', minimum: 1, maximum: 14, default: 3 },
        },
        required: ['city'],
      },
    },
    content: { city: 'Köln', unit: 'celsius', days: 5 },
  },
  // modelcontextprotocol/csharp-sdk, src/ModelContextProtocol.Core: McpServer.Methods.cs (ElicitAsync<T>) and
  // Protocol/ElicitRequestParams.cs. A schema from a type has no `required`.
  'C# SDK': {
    question: {
      mode: 'form',
      message: 'Who is it for?',
      requestedSchema: {
        type: 'object',
        properties: {
          Name: { type: 'string', description: 'Their name', minLength: 2, maxLength: 40 },
          Age: { type: 'integer', minimum: 0, maximum: 150 },
          Score: { type: 'number' },
          Role: { type: 'string', title: 'Role', enum: ['Admin', 'User'], enumNames: ['Administrator', 'Normal user'] },
          Active: { type: 'boolean', default: true },
        },
      },
    },
    content: { Name: 'Ann', Age: 41, Score: 1.5, Role: 'Admin', Active: false },
  },
  // modelcontextprotocol/go-sdk, examples/server/elicitation/main.go: a jsonschema.Schema as it is marshalled. `mode` is
  // always written (mcp/protocol.go, ElicitParams).
  'Go SDK': {
    question: {
      mode: 'form',
      message: 'Your configuration?',
      requestedSchema: {
        type: 'object',
        required: ['serverEndpoint'],
        properties: {
          enableLogs: { type: 'boolean', description: 'Write a log' },
          maxRetries: { type: 'number', minimum: 1, maximum: 10 },
          serverEndpoint: { type: 'string', description: 'Where the server is' },
        },
      },
    },
    content: { serverEndpoint: 'https://api.example.com', maxRetries: 3, enableLogs: true },
  },
  // The same with a schema from a struct (google/jsonschema-go, For[T]): no member but the fields.
  'Go SDK, from a struct': {
    question: {
      mode: 'form',
      message: 'Where to?',
      requestedSchema: {
        type: 'object',
        required: ['environment'],
        properties: {
          environment: { type: 'string', description: 'Where it runs', enum: ['staging', 'production'] },
          replicas: { type: 'integer' },
        },
        additionalProperties: false,
      },
    },
    content: { environment: 'staging', replicas: 2 },
  },
  // modelcontextprotocol/rust-sdk, crates/rmcp/src/model/elicitation_schema.rs: from_type reduces what schemars writes to
  // the members of the specification; the parameters are tagged with their mode.
  'Rust SDK': {
    question: {
      mode: 'form',
      message: 'Please register.',
      requestedSchema: {
        type: 'object',
        title: 'UserInfo',
        properties: {
          age: { type: 'integer', description: 'In years', minimum: 0, maximum: 150 },
          email: { type: 'string', format: 'email' },
          newsletter: { type: 'boolean', default: false },
          score: { type: 'number', minimum: 0.5, maximum: 5.5 },
          size: {
            type: 'string',
            oneOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
          colours: {
            type: 'array',
            minItems: 1,
            maxItems: 2,
            items: { type: 'string', enum: ['red', 'green', 'blue'] },
          },
        },
        required: ['email', 'age'],
        description: 'User registration',
      },
    },
    content: { email: 'ann@example.com', age: 41, newsletter: true, score: 4.5, size: 'l', colours: ['red', 'blue'] },
  },
}

export const formNames = [...Object.keys(plain), 'mcp-use'] as const

export async function formOf(name: string): Promise<Form> {
  const form = name === 'mcp-use' ? await fromZod() : plain[name]
  if (form === undefined) throw new Error(`There is no form ${name}.`)
  return form
}
