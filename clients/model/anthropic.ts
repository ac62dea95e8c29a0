// The Messages API, as Claude Code uses it.

import { listAt, type ModelApi, type ModelReply, scripted, sendEvents } from './script.ts'

export const anthropicApi: ModelApi = {
  otherwise: { input_tokens: 1 },
  readTurn: ({ url = '' }, body) => {
    if (!url.startsWith('/v1/messages') || url.includes('count_tokens')) return undefined
    const blocks = listAt(body, 'messages').flatMap((message) => listAt(message, 'content'))
    const results = blocks.filter(({ type }) => type === 'tool_result')
    const isScripted = ({ tool_use_id: id }: Readonly<Record<string, unknown>>) => String(id).startsWith(scripted)
    return {
      offered: listAt(body, 'tools').map(({ name }) => String(name)),
      results: results.filter(isScripted).map(({ content, is_error }) => JSON.stringify({ content, is_error })),
      worked: results.filter((block) => !isScripted(block)).length,
    }
  },
  writeReply: (reply, { model, stream }, response) => {
    const stop_reason = reply.kind === 'call' ? 'tool_use' : 'end_turn'
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    if (stream !== true) {
      const whole = { ...message, content: [blockOf(reply)], stop_reason }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(whole))
      return
    }
    sendEvents(response, [
      ['message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null } }],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: emptyBlockOf(reply) }],
      ['content_block_delta', { type: 'content_block_delta', index: 0, delta: deltaOf(reply) }],
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ])
  },
}

function blockOf(reply: ModelReply): object {
  if (reply.kind === 'text') return { type: 'text', text: reply.text }
  return { type: 'tool_use', id: reply.id, name: reply.name, input: reply.args }
}

function emptyBlockOf(reply: ModelReply): object {
  return reply.kind === 'text' ? { type: 'text', text: '' } : { ...blockOf(reply), input: {} }
}

function deltaOf(reply: ModelReply): object {
  return reply.kind === 'text'
    ? { type: 'text_delta', text: reply.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(reply.args) }
}
