// Bells that are rung by name, in this process.

export interface Bell {
  /** Resolves when it was rung since the last time, after `timeoutMs` at the latest, or when the signal aborts. */
  rung(timeoutMs: number, signal?: AbortSignal): Promise<void>
  close(): void
}

const longestTimerMs = 2 ** 31 - 1

export class Bells {
  readonly #rings = new Map<string, Set<() => void>>()

  /** How many names are listened to. */
  get size(): number {
    return this.#rings.size
  }

  get names(): Iterable<string> {
    return this.#rings.keys()
  }

  /** False when there is no listener. */
  ring(name: string): boolean {
    const rings = this.#rings.get(name)
    for (const ring of rings ?? []) ring()
    return rings !== undefined
  }

  /** A bell that any of these names rings. */
  listen(names: readonly string[], onClose: () => void = () => undefined): Bell {
    let rang = false
    let wake: (() => void) | undefined
    const ring = () => {
      rang = true
      wake?.()
    }
    for (const name of names) this.#add(name, ring)
    return {
      rung: async (timeoutMs, signal) => {
        if (!rang && signal?.aborted !== true) {
          const { promise, resolve } = Promise.withResolvers<void>()
          const timer = setTimeout(resolve, Math.min(Math.max(timeoutMs, 0), longestTimerMs))
          const abort = () => resolve()
          signal?.addEventListener('abort', abort, { once: true })
          wake = resolve
          await promise
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
        }
        rang = false
      },
      close: () => {
        for (const name of names) this.#remove(name, ring)
        onClose()
      },
    }
  }

  #add(name: string, ring: () => void): void {
    const rings = this.#rings.get(name)
    if (rings === undefined) this.#rings.set(name, new Set([ring]))
    else rings.add(ring)
  }

  #remove(name: string, ring: () => void): void {
    const rings = this.#rings.get(name)
    if (rings?.delete(ring) && rings.size === 0) this.#rings.delete(name)
  }
}
