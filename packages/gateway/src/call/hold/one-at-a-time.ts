// Work that runs one at a time for each call.

export class OneAtATime {
  readonly #running = new Map<string, Promise<void>>()

  has(id: string): boolean {
    return this.#running.has(id)
  }

  /** Resolves when the work that runs now for this call has ended. */
  async ended(id: string): Promise<void> {
    await this.#running.get(id)
  }

  async run<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running.set(id, promise)
    try {
      return await work()
    } finally {
      this.#running.delete(id)
      resolve()
    }
  }
}
