// Checks at intervals whether the sessions of open change streams are still valid.
//
// While the sessions cannot be read, streams stay open for a few checks: nothing is read from the database for them meanwhile, and
// closing all at once would make every page reconnect at the moment in which the database is back.

import { inboxLimits } from './limits.ts'

export interface OpenStream {
  readonly token: string
  /** The session is valid, or could not be read this time: the stream is kept alive. */
  keepAlive(): void
  /** The session has ended, or could not be read for too long. The page reconnects and is authenticated again. */
  end(): void
}

export class OpenStreams {
  readonly #validOf: (tokens: readonly string[]) => Promise<readonly string[]>
  readonly #onError: (error: unknown) => void
  readonly #streams = new Set<OpenStream>()
  #timer: NodeJS.Timeout | undefined
  #isChecking = false
  /** Consecutive checks that failed. */
  #failures = 0

  constructor(
    validOf: (tokens: readonly string[]) => Promise<readonly string[]>,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#validOf = validOf
    this.#onError = onError
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
    if (this.#isChecking) return
    this.#isChecking = true
    const checked = [...this.#streams]
    try {
      const valid = await this.#valid([...new Set(checked.map(({ token }) => token))])
      this.#failures = 0
      for (const stream of checked) if (valid.has(stream.token)) stream.keepAlive()
      for (const stream of checked) if (!valid.has(stream.token)) stream.end()
    } catch (error) {
      this.#onError(error)
      this.#failures += 1
      const isTooLong = this.#failures >= inboxLimits.failedSessionChecks
      for (const stream of checked) {
        if (isTooLong) stream.end()
        else stream.keepAlive()
      }
    } finally {
      this.#isChecking = false
    }
  }

  async #valid(tokens: readonly string[]): Promise<Set<string>> {
    const valid = new Set<string>()
    for (let at = 0; at < tokens.length; at += inboxLimits.sessionsChecked) {
      for (const token of await this.#validOf(tokens.slice(at, at + inboxLimits.sessionsChecked))) valid.add(token)
    }
    return valid
  }
}
