// A hand-written client of revision 2026-07-28: it sends exactly what a proof passes to it, any number of times.

export interface Reply {
  readonly status: number
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Request {
  readonly method: string
  readonly params: Record<string, unknown>
  readonly capabilities?: object
  readonly client?: string
  readonly signal?: AbortSignal
}

/** Throws when the connection breaks; every HTTP response with a message in it is a reply. */
export async function send(
  url: string,
  { method, params, capabilities = {}, client = 'proof', signal }: Request,
): Promise<Reply> {
  const _meta = envelope(capabilities, client)
  const name = params.name ?? params.uri
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const messages = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    : [JSON.parse(text)]
  const { result, error } = messages.at(-1) ?? {}
  return {
    status: response.status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  }
}

/** What every request of this revision carries in `_meta`. */
export function envelope(capabilities: object = {}, client = 'proof'): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
  }
}

export function textOf({ result, error }: Reply): string {
  const content = result?.content as readonly { readonly text?: string }[] | undefined
  return content?.map(({ text }) => text ?? '').join('\n') ?? error?.message ?? JSON.stringify(result)
}

/** The state of an `input_required` result; undefined for a final one. */
export function stateOf({ result }: Pick<Reply, 'result'>): string | undefined {
  return result?.resultType === 'input_required' ? String(result.requestState) : undefined
}

/** The handle of a deferred call. */
export function handleOf({ result }: Reply): string | undefined {
  const structured = result?.structuredContent as { readonly status?: string; readonly askId?: string } | undefined
  return structured?.status === 'pending' ? structured.askId : undefined
}
