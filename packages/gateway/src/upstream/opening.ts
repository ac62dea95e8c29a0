// What happens while a server is being opened: which revision and transport were found, and giving up half-way.
//
// Owns: the connections of a server that is not open yet. Once it is, its adapter owns them.
// I1  After the signal aborts, every such connection is closed, its reader is notified, and none is opened any more.

import { NotSent } from '../relay/exchange.ts'
import type { OpenWire } from './2025-11-25/session.ts'

export type Transport = 'stdio' | 'streamable-http' | 'http+sse' | 'in-process'

/** How a server was found to speak. */
export interface Found {
  readonly transport: Transport
  readonly revision: string
}

const givenUp = 'The gateway stopped before the server was ready.'

/** Wraps the function that opens a connection. */
export type Track = (open: OpenWire) => OpenWire

export async function untilAborted<Value>(signal: AbortSignal, open: (track: Track) => Promise<Value>): Promise<Value> {
  const closeAll = new Set<() => void>()
  let isOpening = true
  const track: Track = (opens) => (events) => {
    if (signal.aborted) throw new NotSent(givenUp)
    const wire = opens(events)
    if (isOpening)
      closeAll.add(() => {
        wire.close()
        events.onClosed(givenUp)
      })
    return wire
  }
  const giveUp = () => {
    for (const close of closeAll) close()
  }
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await open(track)
  } finally {
    isOpening = false
    closeAll.clear()
    signal.removeEventListener('abort', giveUp)
  }
}

/** Reports the revision that each session agrees on; a session sets it on its connection. */
export function reporting(open: OpenWire, report: (revision: string) => void): OpenWire {
  return (events) => {
    const wire = open(events)
    const { openStream } = wire
    return {
      send: (message) => wire.send(message),
      close: () => wire.close(),
      ...(openStream === undefined ? {} : { openStream: () => openStream.call(wire) }),
      get revision() {
        return ''
      },
      set revision(revision: string) {
        report(revision)
        if ('revision' in wire) wire.revision = revision
      },
    }
  }
}
