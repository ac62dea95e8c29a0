// The Responses API, as Codex uses it.

import { listAt, type ModelApi, scripted, sendEvents } from './script.ts'

export const openaiApi: ModelApi = {
  otherwise: { data: [], models: [] },
  readTurn: ({ url = '' }, body) => {
    if (!url.includes('/responses')) return undefined
    const results = listAt(body, 'input').filter(({ type }) => type === 'function_call_output')
    const isScripted = ({ call_id: id }: Readonly<Record<string, unknown>>) => String(id).startsWith(scripted)
    return {
      offered: listAt(body, 'tools').flatMap(namesOf),
      results: results.filter(isScripted).map(({ output }) => JSON.stringify(output)),
      worked: results.filter((result) => !isScripted(result)).length,
    }
  },
  writeReply: (reply, _body, response) => {
    const item =
      reply.kind === 'text'
        ? { type: 'message', id: 'm_1', role: 'assistant', content: [{ type: 'output_text', text: reply.text }] }
        : { type: 'function_call', id: `f${reply.id}`, call_id: reply.id, ...calledAs(reply) }
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    }
    sendEvents(response, [
      ['response.created', { type: 'response.created', response: { id: 'resp_1' } }],
      ['response.output_item.done', { type: 'response.output_item.done', item }],
      ['response.completed', { type: 'response.completed', response: { id: 'resp_1', usage } }],
    ])
  },
}

/** Tools of MCP servers are grouped in a namespace: here `namespace/name`. */
const separator = '/'

function namesOf(tool: Readonly<Record<string, unknown>>): string[] {
  const { type, name } = tool
  if (type !== 'namespace') return [String(name ?? type)]
  return listAt(tool, 'tools').map((inner) => `${name}${separator}${inner.name}`)
}

function calledAs({ name, args }: { readonly name: string; readonly args: object }): object {
  const [namespace, inner] = name.split(separator)
  const given = { arguments: JSON.stringify(args) }
  return inner === undefined ? { name, ...given } : { namespace, name: inner, ...given }
}
