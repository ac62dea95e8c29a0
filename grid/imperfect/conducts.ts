// Differences from an ordinary server that do not depend on the transport.

import { type Conduct, methodNotFound, type Wire } from './ordinary.ts'

function withResult(reply: Wire, change: (result: Wire) => Wire): Wire {
  return reply.result === undefined ? reply : { ...reply, result: change(reply.result as Wire) }
}

function each(value: unknown, change: (item: Wire) => Wire): unknown {
  return Array.isArray(value) ? value.map((item: Wire) => change(item)) : value
}

/** Adds unknown members in every object. */
function embellished(result: Wire): Wire {
  const extra = { acme: { since: 2024, tags: ['a', 'b'] } }
  return {
    ...result,
    ...extra,
    _meta: { ...(result._meta as Wire | undefined), 'acme.example/extra': true },
    ...(result.capabilities === undefined
      ? {}
      : { capabilities: { ...(result.capabilities as Wire), acme: { deep: { er: 1 } } } }),
    ...(result.tools === undefined
      ? {}
      : {
          tools: each(result.tools, (tool) => ({
            ...tool,
            ...extra,
            inputSchema: { ...(tool.inputSchema as Wire), $comment: 'x', additionalProperties: true },
            annotations: { readOnlyHint: true, acmeHint: 'yes' },
          })),
        }),
    ...(result.content === undefined ? {} : { content: each(result.content, (block) => ({ ...block, ...extra })) }),
  }
}

/** Writes null for optional members. */
function nulled(result: Wire): Wire {
  return {
    ...result,
    ...(result.tools === undefined
      ? {}
      : {
          nextCursor: null,
          tools: each(result.tools, (tool) => ({ ...tool, title: null, description: null, annotations: null })),
        }),
    ...(result.content === undefined
      ? {}
      : {
          structuredContent: null,
          isError: null,
          content: each(result.content, (block) => ({ ...block, annotations: null })),
        }),
  }
}

export const conducts = {
  ordinary: {},
  'ignores unknown methods': {
    reply: (reply) => ((reply.error as Wire | undefined)?.code === methodNotFound ? undefined : reply),
  },
  'string ids': { reply: (reply) => ({ ...reply, id: String(reply.id) }) },
  'extra fields': { reply: (reply) => withResult(reply, embellished) },
  'extra members beside the result': { reply: (reply) => ({ ...reply, acme: true }) },
  nulls: { reply: (reply) => withResult(reply, nulled) },
  'result without content': {
    reply: (reply, { method }) => (method === 'tools/call' ? withResult(reply, () => ({})) : reply),
  },
  'refuses a second initialize': {
    reply: (reply, { method, id }, { opened }) =>
      method === 'initialize' && opened > 1
        ? { jsonrpc: '2.0', id, error: { code: -32_600, message: 'Already initialized' } }
        : reply,
  },
  'pings in calls': {
    before: async ({ method }, session, say) => {
      if (method === 'tools/call') await session.ask('ping', undefined, say)
    },
  },
  'notifies before it is open': {
    before: ({ method }, _session, say) => {
      if (method !== 'initialize') return
      say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'Starting.' } })
      say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    },
  },
  'unknown notifications': {
    before: ({ method }, _session, say) => {
      if (method !== 'tools/call') return
      say({ jsonrpc: '2.0', method: 'notifications/acme/thing', params: { at: 1 } })
    },
  },
  'unknown requests': {
    before: async ({ method }, session, say) => {
      if (method === 'tools/call') await session.ask('acme/thing', { at: 1 }, say)
    },
  },
  'speaks 2025-11-25': { revision: '2025-11-25' },
  'only 2024-11-05': { revision: '2024-11-05' },
  'only 2025-03-26': { revision: '2025-03-26' },
  newest: { isNewest: true },
  'newest with extra fields': { isNewest: true, reply: (reply) => withResult(reply, embellished) },
  'newest with nulls': { isNewest: true, reply: (reply) => withResult(reply, nulled) },
  'newest without result types': {
    isNewest: true,
    reply: (reply) =>
      withResult(reply, ({ resultType, ...result }) =>
        resultType === 'complete' ? result : { resultType, ...result },
      ),
  },
} as const satisfies Readonly<Record<string, Conduct>>
