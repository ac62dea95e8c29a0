// Waiters in this process, by key: notifying a key resolves every waiter that listens to it.

export interface Waiter {
  /**
   * Resolves at once if one of its keys was notified since the last call; otherwise when one is, when `timeoutMs` have passed,
   * or when the signal aborts. Returns whether one was notified.
   */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<boolean>
  /** Changes the keys that it listens to. */
  add(key: string): void
  remove(key: string): void
  close(): void
}

const longestTimerMs = 2 ** 31 - 1

export class Waiters {
  readonly #callbacks = new Map<string, Set<() => void>>()

  /** The number of keys with at least one waiter. */
  get size(): number {
    return this.#callbacks.size
  }

  get keys(): Iterable<string> {
    return this.#callbacks.keys()
  }

  /** False if the key has no waiter. */
  notify(key: string): boolean {
    const callbacks = this.#callbacks.get(key)
    for (const callback of callbacks ?? []) callback()
    return callbacks !== undefined
  }

  /** A waiter for any of these keys. */
  open(initial: readonly string[], onClose: () => void = () => undefined): Waiter {
    const keys = new Set(initial)
    let isNotified = false
    let wake: (() => void) | undefined
    const callback = () => {
      isNotified = true
      wake?.()
    }
    for (const key of keys) this.#add(key, callback)
    return {
      wait: async (timeoutMs, signal) => {
        if (!isNotified && signal?.aborted !== true) {
          const { promise, resolve } = Promise.withResolvers<void>()
          // Waiting keeps no process alive: what notifies the waiter does.
          const timer = setTimeout(resolve, Math.min(Math.max(timeoutMs, 0), longestTimerMs)).unref()
          const abort = () => resolve()
          signal?.addEventListener('abort', abort, { once: true })
          wake = resolve
          await promise
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
        }
        const wasNotified = isNotified
        isNotified = false
        return wasNotified
      },
      add: (key) => {
        keys.add(key)
        this.#add(key, callback)
      },
      remove: (key) => {
        keys.delete(key)
        this.#remove(key, callback)
      },
      close: () => {
        for (const key of keys) this.#remove(key, callback)
        onClose()
      },
    }
  }

  #add(key: string, callback: () => void): void {
    const callbacks = this.#callbacks.get(key)
    if (callbacks === undefined) this.#callbacks.set(key, new Set([callback]))
    else callbacks.add(callback)
  }

  #remove(key: string, callback: () => void): void {
    const callbacks = this.#callbacks.get(key)
    if (callbacks?.delete(callback) && callbacks.size === 0) this.#callbacks.delete(key)
  }
}
