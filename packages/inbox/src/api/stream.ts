// The stream of changes itself, over fetch, because its request is signed like every other one. After a broken connection
// it comes back by itself, with the number of the last event, and gets what it missed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { ChangeView } from '@assent/core'
import { openStream, problemOf } from './client.ts'
import type { Heard } from './tabs.ts'

/** After a connection that broke, and after a refusal. */
const againMs = 1_000
const refusedAgainMs = 3_000

export function followChanges(tell: (heard: Heard) => void): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  let again: ReturnType<typeof setTimeout> | undefined
  let lastId = ''

  const hear = ({ id, event, data }: ServerEvent) => {
    lastId = id ?? lastId
    if (event === 'ask') tell({ kind: 'ask', change: JSON.parse(data) as ChangeView })
    else if (event === 'now' || event === 'anew') tell({ kind: 'anew' })
  }
  const connect = async () => {
    try {
      const response = await openStream('/api/changes', lastId === '' ? {} : { 'last-event-id': lastId }, signal)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (!response.ok || !isStream) return retry('refused')
      await readEvents(response, hear)
      retry('waiting')
    } catch (error) {
      const { code } = problemOf(error)
      retry(code === 'signed-out' || code === 'unverified' ? 'refused' : 'waiting')
    }
  }
  const retry = (why: 'refused' | 'waiting') => {
    if (signal.aborted) return
    again = setTimeout(() => void connect(), why === 'refused' ? refusedAgainMs : againMs)
    tell(why === 'refused' ? { kind: 'refused' } : { kind: 'state', state: 'waiting' })
  }
  void connect()
  return () => {
    leaving.abort()
    clearTimeout(again)
  }
}

interface ServerEvent {
  readonly id?: string
  readonly event: string
  readonly data: string
}

/** Until the stream ends. Throws when it breaks. */
async function readEvents(response: Response, hear: (event: ServerEvent) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== undefined) hear(event)
    }
  }
}

/** Nothing for a comment, which only keeps the connection alive. */
function eventIn(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const
    }),
  )
  const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')]
  if (event === undefined || data === undefined) return undefined
  return { ...(id === undefined ? {} : { id }), event, data }
}
