// How many processes of servers run at once, for a limit over all servers and callers.

import { upstreamLimits } from '../limits.ts'
import { NotSent } from '../relay/exchange.ts'

export class ProcessCount {
  readonly #ofServer = new Map<string, number>()
  #running = 0

  /**
   * Counts one more process. Throws where there is no room for it. The function that comes back counts it out again.
   * @param most of this server alone
   */
  begin(server: string, most: number | undefined): () => void {
    const own = this.#ofServer.get(server) ?? 0
    if (most !== undefined && own >= most)
      throw new NotSent(`The server ${server} has ${own} processes, as many as its setting processes allows.`)
    const { processesTotal } = upstreamLimits
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
