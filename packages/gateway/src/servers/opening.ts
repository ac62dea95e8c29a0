// Opening a server: reports the revision and transport that were found, and closes its connections when opening is
// aborted.
//
// Owns: the connections of a server that is not open yet. Once it is, its adapter owns them.
// I1  After the signal aborts, every such connection is closed, its reader is notified, and no new one is opened.

import { NotSent } from '../call/model.ts'
import type { OpenTransport } from './2025-11-25/session.ts'

export type TransportName = 'stdio' | 'streamable-http' | 'http+sse' | 'in-process'

/** The transport and revision of a server. */
export interface DetectedServer {
  readonly transport: TransportName
  readonly revision: string
}

const abandoned = 'The gateway stopped before the server was ready.'

/** Wraps the function that opens a connection. */
export type Track = (open: OpenTransport) => OpenTransport

export async function untilAborted<Value>(signal: AbortSignal, open: (track: Track) => Promise<Value>): Promise<Value> {
  const closeAll = new Set<() => void>()
  let isOpening = true
  const track: Track = (opens) => (events) => {
    if (signal.aborted) throw new NotSent(abandoned)
    const wire = opens(events)
    if (isOpening)
      closeAll.add(() => {
        wire.close()
        events.onClosed(abandoned)
      })
    return wire
  }
  const abort = () => {
    for (const close of closeAll) close()
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await open(track)
  } finally {
    isOpening = false
    closeAll.clear()
    signal.removeEventListener('abort', abort)
  }
}

/** Reports the revision that each session agrees on; a session sets it on its connection. */
export function reporting(open: OpenTransport, report: (revision: string) => void): OpenTransport {
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
