// The keys of a real terminal, handed to one prompt at a time.
//
// A prompt reads from a stream of its own, so nothing typed before it was drawn, or pasted past its end, can answer it.
// It knows no questions. The one rule: whatever happens to the terminal, the prompt ends and the terminal is left as it
// was found. A prompt is taken down by giving it the key that dismisses it, so there is one way out and it cleans up.

import { PassThrough, type Readable } from 'node:stream'

export interface KeySource extends Readable {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
}

/** Why a prompt ended without a value. `left` is nobody's answer: the question stays as it is. */
export type Ended = 'dismissed' | 'declined' | 'left' | 'taken-down' | 'hung-up'

const dismissKey = '\u0003'
const declineKey = 0x04
const dismissOpenKey = 0x18
const suspendKey = 0x1a

export interface Keys {
  /** What the prompt reads from. */
  readonly stream: Readable
  /** Dismissed, or left where that is possible, unless something else ended it. */
  readonly ended: Ended
  /** Ends the prompt from outside. */
  takeDown(): void
  /** Gives the terminal back; always called. */
  release(): void
}

export interface KeyOptions {
  /** Keys are dropped until this many milliseconds from now. */
  readonly settleMs: number
  /** Escape leaves the question open instead of dismissing it. */
  readonly mayLeave?: boolean
  /** Ctrl+x dismisses it. */
  readonly mayDismiss?: boolean
}

export function takeKeys(input: KeySource, { settleMs, mayLeave = false, mayDismiss = false }: KeyOptions): Keys {
  const stream = new PassThrough()
  const readyAt = performance.now() + settleMs
  let ended: Ended = mayLeave ? 'left' : 'dismissed'

  const end = (why: Ended) => {
    ended = why
    stream.write(dismissKey)
  }
  const onData = (chunk: Buffer | string) => {
    if (performance.now() < readyAt && !isDismissal(chunk)) return
    const bytes = Buffer.from(chunk)
    // Alone in its chunk, as a key is; inside pasted text it is only a character.
    if (bytes.length === 1 && bytes[0] === declineKey) return end('declined')
    if (mayDismiss && bytes.length === 1 && bytes[0] === dismissOpenKey) return end('dismissed')
    stream.write(bytes.filter((byte) => byte !== declineKey && byte !== suspendKey))
  }
  const onEnd = () => end('hung-up')

  input.on('data', onData)
  input.once('end', onEnd)
  input.once('close', onEnd)
  // A terminal that hangs up may say so as an error, which nobody else would take.
  input.on('error', onEnd)
  input.setRawMode?.(true)
  input.resume()
  // Ended before anyone listened: neither event comes again.
  if (input.readableEnded || input.destroyed) queueMicrotask(onEnd)

  return {
    stream,
    get ended() {
      return ended
    },
    takeDown: () => end('taken-down'),
    release() {
      input.off('data', onData)
      input.off('end', onEnd)
      input.off('close', onEnd)
      input.off('error', onEnd)
      if (!input.destroyed) input.setRawMode?.(false)
      // A process whose work is done must be able to leave.
      input.pause()
      stream.destroy()
    },
  }
}

/** Leaving is allowed at any time. */
function isDismissal(chunk: Buffer | string): boolean {
  return chunk.toString() === dismissKey || chunk.toString() === '\u001b'
}
