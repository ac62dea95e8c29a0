// The windows with an agent that use this inbox: each one reports every few seconds, with a proof that it has our key.

import { isWindowProof, windowPattern } from './listener-proof.ts'

export interface OpenWindowsOptions {
  readonly keys: readonly Uint8Array[]
  /** The process that serves the inbox. */
  readonly instance: string
  /** A window that has not reported for this long is gone. */
  readonly goneAfterMs: number
}

export class OpenWindows {
  readonly #options: OpenWindowsOptions
  readonly #seenAtMs = new Map<string, number>()

  constructor(options: OpenWindowsOptions) {
    this.#options = options
  }

  /** @param claim what the window sent: its id and its proof */
  note(claim: string | null): void {
    const [, window, proof] = windowPattern.exec(claim ?? '') ?? []
    if (window === undefined || proof === undefined) return
    const { keys, instance } = this.#options
    if (isWindowProof(keys, instance, window, proof)) this.#seenAtMs.set(window, performance.now())
  }

  get count(): number {
    const goneBeforeMs = performance.now() - this.#options.goneAfterMs
    for (const [window, seenAtMs] of this.#seenAtMs) if (seenAtMs < goneBeforeMs) this.#seenAtMs.delete(window)
    return this.#seenAtMs.size
  }
}
