// Passes the keys of a real terminal to one prompt at a time.
//
// Each prompt reads from its own stream, so keys typed before it was drawn, or pasted past its end, cannot answer it.
// Whatever happens to the terminal, the prompt ends and the terminal is restored. A prompt is closed from outside by
// sending it the key that dismisses it, so every prompt ends, and cleans up, in the same way.

import { PassThrough, type Readable } from 'node:stream'

export interface KeySource extends Readable {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
}

/** Why a prompt ended without a value. `left` is not an answer: the question stays open. */
export type PromptEnd = 'dismissed' | 'declined' | 'left' | 'taken-down' | 'hung-up'

const dismissKey = '\u0003'
const declineKey = 0x04
const dismissOpenKey = 0x18
const suspendKey = 0x1a

export interface Keys {
  /** What the prompt reads from. */
  readonly stream: Readable
  /** Why the prompt ended without a value: `dismissed` (or `left`, if allowed) unless something else ended it. */
  readonly ended: PromptEnd
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
  let ended: PromptEnd = mayLeave ? 'left' : 'dismissed'

  const end = (why: PromptEnd) => {
    ended = why
    stream.write(dismissKey)
  }
  const onData = (chunk: Buffer | string) => {
    if (performance.now() < readyAt && !isDismissal(chunk)) return
    const bytes = Buffer.from(chunk)
    // A key press is alone in its chunk; inside pasted text it is only a character.
    if (bytes.length === 1 && bytes[0] === declineKey) return end('declined')
    if (mayDismiss && bytes.length === 1 && bytes[0] === dismissOpenKey) return end('dismissed')
    stream.write(bytes.filter((byte) => byte !== declineKey && byte !== suspendKey))
  }
  const onEnd = () => end('hung-up')

  input.on('data', onData)
  input.once('end', onEnd)
  input.once('close', onEnd)
  // A terminal that hangs up may emit an error; without this listener it would be unhandled.
  input.on('error', onEnd)
  input.setRawMode?.(true)
  input.resume()
  // The input ended before we listened, so neither event fires again.
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
      // Otherwise the input would keep the process alive.
      input.pause()
      stream.destroy()
    },
  }
}

/** These keys work even before the settle time has passed. */
function isDismissal(chunk: Buffer | string): boolean {
  return chunk.toString() === dismissKey || chunk.toString() === '\u001b'
}
