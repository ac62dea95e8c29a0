// Counts the running server processes, for the limits per server and in total.

import { NotSent } from '../call/model.ts'
import { serverLimits } from '../limits.ts'

export class ProcessCount {
  readonly #ofServer = new Map<string, number>()
  #running = 0

  /**
   * Counts one more process. Throws when a limit is reached. The returned function removes it from the count.
   * @param most the limit for this server
   */
  begin(server: string, most: number | undefined): () => void {
    const own = this.#ofServer.get(server) ?? 0
    if (most !== undefined && own >= most)
      throw new NotSent(`The server ${server} has ${own} processes, as many as its setting processes allows.`)
    const { processesTotal } = serverLimits
    if (this.#running >= processesTotal)
      throw new NotSent(`The gateway runs ${this.#running} processes of servers, as many as limits.processes allows.`)
    this.#ofServer.set(server, own + 1)
    this.#running += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#running -= 1
      this.#ofServer.set(server, (this.#ofServer.get(server) ?? 1) - 1)
    }
  }
}
