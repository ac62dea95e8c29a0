// Reading what comes over the wire; without anything of a test runner, because proofs read it too.

export interface ServerEvent {
  readonly id: string | undefined
  readonly data: string
}

/** The events of a stream as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield { id: /^id: (.*)$/m.exec(event)?.[1], data }
    }
  }
}

/** The messages of a response as they come, from a stream or a plain body. */
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
