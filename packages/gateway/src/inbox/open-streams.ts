// Checks at intervals whether the sessions of open change streams are still valid: all of them with one statement.

import { inboxLimits } from './limits.ts'

export interface OpenStream {
  readonly token: string
  /** The session is valid: the stream is kept alive. */
  keepAlive(): void
  /** The session has ended. */
  end(): void
  /** The sessions could not be read. */
  fail(error: unknown): void
}

export class OpenStreams {
  readonly #validOf: (tokens: readonly string[]) => Promise<readonly string[]>
  readonly #streams = new Set<OpenStream>()
  #timer: NodeJS.Timeout | undefined

  constructor(validOf: (tokens: readonly string[]) => Promise<readonly string[]>) {
    this.#validOf = validOf
  }

  get count(): number {
    return this.#streams.size
  }

  /** Returns a function that removes the stream. */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => void this.#check(), inboxLimits.keepAliveMs).unref()
    return () => {
      this.#streams.delete(stream)
      if (this.#streams.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #check(): Promise<void> {
    const checked = [...this.#streams]
    try {
      const valid = new Set(await this.#validOf([...new Set(checked.map(({ token }) => token))]))
      for (const stream of checked) if (valid.has(stream.token)) stream.keepAlive()
      for (const stream of checked) if (!valid.has(stream.token)) stream.end()
    } catch (error) {
      for (const stream of checked) stream.fail(error)
    }
  }
}
