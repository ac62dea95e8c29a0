// What the servers of both generations offer, and the tool results that need no SDK.

import { appendFileSync } from 'node:fs'

export const serverVersion = '1.2.3'
export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const

const pageSize = 4
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const inputSchema = { type: 'object' as const, properties: { key: { type: 'string' } } }

const toolNames = [
  'later',
  'ask',
  'roots',
  'sample',
  'log',
  'progress',
  'slow',
  'blocks',
  'meta',
  'announce',
  'update',
  'fail',
  'refuse',
]
export const tools = [
  ...toolNames.map((name) => ({
    name,
    title: `Tool ${name}`,
    description: `Does ${name} ✓`,
    inputSchema,
    annotations: { readOnlyHint: name === 'meta', title: 'Hint' },
    _meta: { 'grid.example/tool': name },
  })),
  {
    name: 'echo',
    inputSchema: { type: 'object' as const },
    icons: [{ src: 'https://example.com/i.png', sizes: ['48x48'] }],
  },
  {
    name: 'structured',
    inputSchema,
    outputSchema: { type: 'object' as const, properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
]
export const addedTool = { name: 'added', inputSchema }

export const resources = Array.from({ length: 6 }, (_each, index) => ({
  uri: `grid://note/${index}`,
  name: `note ${index}`,
  title: `Nöte ${index}`,
  mimeType: 'text/plain',
  size: 5,
  annotations: { priority: 0.5, audience: ['user' as const] },
  _meta: { 'grid.example/at': index },
}))
export const resourceTemplates = [
  { uriTemplate: 'grid://note/{id}', name: 'notes', mimeType: 'text/plain' },
  { uriTemplate: 'grid://file/{+path}', name: 'files', description: 'Any file' },
]
export const prompts = [
  { name: 'greet', title: 'Grüßen', description: 'Says hello', arguments: [{ name: 'who', required: true }] },
  { name: 'cite', description: 'With a resource in it' },
]

/** One page of a list. The cursor is the index of its first item. */
export function page<T>(items: readonly T[], cursor: unknown): { items: T[]; next: { nextCursor?: string } } {
  const from = Number(cursor ?? 0)
  const to = from + pageSize
  return { items: items.slice(from, to), next: to < items.length ? { nextCursor: String(to) } : {} }
}

export function contentsOf(name: string, uri: string) {
  if (uri === 'grid://note/5') return [{ uri, mimeType: 'image/png', blob: image, _meta: { 'grid.example/z': 1 } }]
  return [{ uri, mimeType: 'text/plain', text: `${name}: ${uri} Grüße` }]
}

export function promptOf(name: string, server: string, args: Record<string, string> | undefined) {
  const text = { type: 'text' as const, text: `${server} greets ${args?.who ?? 'nobody'}` }
  const resource = { uri: 'grid://note/1', mimeType: 'text/plain', text: 'One note' }
  if (name === 'greet') return { description: 'A greeting', messages: [{ role: 'user' as const, content: text }] }
  return {
    messages: [
      { role: 'user' as const, content: { type: 'resource' as const, resource } },
      { role: 'assistant' as const, content: { type: 'resource_link' as const, uri: 'grid://note/2', name: 'note 2' } },
    ],
  }
}

export function completionOf(argument: { readonly value: string }, ref: unknown, context: unknown) {
  const values = [`${argument.value}1`, JSON.stringify(ref), JSON.stringify(context ?? null)]
  return { completion: { values, total: 3, hasMore: false } }
}

export const textOf = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

export const levels = ['debug', 'info', 'warning', 'error'] as const
export const steps = [1, 2, 3] as const
export const slowMs = 20_000

export const question = {
  mode: 'form' as const,
  message: 'Which colour? ✓',
  requestedSchema: {
    type: 'object' as const,
    properties: { colour: { type: 'string' as const, title: 'Cölour', maxLength: 40 } },
    required: ['colour'],
  },
}
export const sampling = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi ✓' } }],
  maxTokens: 10,
  systemPrompt: 'Be short.',
}

/** Results of the tools that need only their arguments; undefined for the others. */
export function plainResult(tool: string, args: Record<string, unknown>, meta: unknown) {
  switch (tool) {
    case 'echo':
      return { ...textOf(args), _meta: { 'grid.example/back': { deep: [1, { ü: '✓' }] } } }
    case 'structured':
      return { ...textOf('{"sum":1.5}'), structuredContent: { sum: 1.5, text: '✓', list: [null, 0, -1] } }
    case 'blocks':
      return {
        content: [
          { type: 'image' as const, data: image, mimeType: 'image/png', annotations: { priority: 1 } },
          { type: 'audio' as const, data: image, mimeType: 'audio/wav' },
          { type: 'resource' as const, resource: { uri: 'grid://note/1', text: 'One', mimeType: 'text/plain' } },
          { type: 'resource_link' as const, uri: 'grid://note/2', name: 'note 2' },
        ],
      }
    case 'meta':
      return textOf(ownMeta(meta))
    case 'fail':
      return { ...textOf('It did not work ✗'), isError: true }
  }
  return undefined
}

/** The members of a request's `_meta` that neither the protocol nor an SDK added. */
function ownMeta(meta: unknown): unknown {
  const members = Object.entries((meta ?? {}) as object).filter(([name]) => name.startsWith('grid.example/'))
  return Object.fromEntries(members)
}

export function journalAt(path: string): (what: string) => void {
  return (what) => appendFileSync(path, `${what}\n`)
}
