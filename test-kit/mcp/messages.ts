// Reads messages from HTTP responses; does not need a test runner, because proofs use it too.

import { EventSourceParserStream } from 'eventsource-parser/stream'

export interface ServerEvent {
  readonly id: string | undefined
  readonly data: string
}

/** The events of a stream as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  const text = response.body?.pipeThrough(new TextDecoderStream())
  for await (const { id, data } of text?.pipeThrough(new EventSourceParserStream()) ?? []) yield { id, data }
}

/** The messages of a response as they arrive, from a stream or a plain body. */
export async function* messagesOf(
  response: Response,
  onName: (name: string) => void = () => undefined,
): AsyncGenerator<Record<string, unknown>> {
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text)
    return
  }
  for await (const { id, data } of eventsOf(response)) {
    if (id !== undefined) onName(id)
    if (data !== '') yield JSON.parse(data)
  }
}
