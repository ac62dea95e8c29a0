// Reading what comes over the wire; without anything of a test runner, because proofs read it too.

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
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const name = /^id: (.*)$/m.exec(event)?.[1]
      if (name !== undefined) onName(name)
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined && data !== '') yield JSON.parse(data)
    }
  }
}
