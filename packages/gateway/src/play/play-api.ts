// The playground over HTTP: the tools of one server, and runs of them.
//
// Which server that is was said on the command line, by whoever started the program. Nothing that a browser sends can
// name a command, an address or another server.

import { randomBytes } from 'node:crypto'
import {
  isPlainObject,
  type JsonObject,
  newId,
  oneLine,
  type PlayRunView,
  type PlayToolView,
  type PlayView,
} from '@assent/core'
import { readJsonBody } from '../inbox/body.ts'
import { notFound, problem } from '../inbox/problem.ts'
import { playLimits } from '../limits.ts'
import { awaitTool } from '../surfaces/await-answer.ts'
import type { PlayClient } from './client-2025-11-25.ts'
import { drawProgress, drawReply } from './draw-result.ts'
import { drawTool } from './draw-tool.ts'

export interface PlayOptions {
  readonly client: PlayClient
  readonly server: string
  readonly target: string
  readonly now?: () => number
}

interface Run extends Omit<PlayRunView, 'nowMs' | 'steps' | 'state'> {
  readonly steps: { readonly atMs: number; readonly text: string }[]
  state: PlayRunView['state']
  readonly stopping: AbortController
}

export class PlayApi {
  readonly #options: PlayOptions
  readonly #now: () => number
  readonly #runs = new Map<string, Run>()

  constructor(options: PlayOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  async describe(): Promise<Response> {
    const { server, target } = this.#options
    const tools: PlayToolView[] = []
    let cursor: string | undefined
    do {
      const reply = await this.#options.client.request('tools/list', cursor === undefined ? {} : { cursor })
      if ('error' in reply) {
        const words = oneLine(reply.error.message, 'web', { maxChars: playLimits.stepChars })
        return problem('unavailable', `The server cannot be reached, and nothing ran. ${words}`)
      }
      // The gateway adds a tool for callers that cannot wait; whoever sits here can.
      const all = Array.isArray(reply.result.tools) ? reply.result.tools.filter(isPlainObject) : []
      const listed = all.filter(({ name }) => name !== awaitTool)
      tools.push(...listed.flatMap((tool) => drawTool(tool as JsonObject) ?? []))
      cursor = typeof reply.result.nextCursor === 'string' ? reply.result.nextCursor : undefined
    } while (cursor !== undefined && tools.length < playLimits.tools)
    const view: PlayView = { server, target: oneLine(target, 'web'), tools, nowMs: this.#now() }
    return Response.json(view)
  }

  async start(request: Request): Promise<Response> {
    const read = await readJsonBody(request)
    if (!read.ok) return read.response
    const { tool, arguments: given } = read.body
    if (typeof tool !== 'string' || tool === '' || !isPlainObject(given)) {
      return problem('malformed', 'A run names a tool and gives it arguments.')
    }
    const running = [...this.#runs.values()].filter(({ state }) => state.kind === 'running')
    if (running.length >= playLimits.runsAtOnce) {
      return problem('too-many', 'Too much is running already. Stop something, or wait for it.')
    }
    return this.#tell(this.#begin(tool, given as JsonObject))
  }

  read(id: string): Response {
    const run = this.#runs.get(id)
    return run === undefined ? notFound() : this.#tell(run)
  }

  stop(id: string): Response {
    const run = this.#runs.get(id)
    if (run === undefined) return notFound()
    if (run.state.kind === 'running') {
      run.state = { kind: 'stopped', atMs: this.#now() }
      run.stopping.abort()
    }
    return this.#tell(run)
  }

  #begin(tool: string, given: JsonObject): Run {
    const run: Run = {
      id: newId('call', this.#now(), randomBytes),
      tool: oneLine(tool, 'web', { maxChars: playLimits.stepChars }),
      startedAtMs: this.#now(),
      steps: [],
      state: { kind: 'running' },
      stopping: new AbortController(),
    }
    this.#forgetOldest()
    this.#runs.set(run.id, run)
    const onProgress = (params: JsonObject) => {
      const text = drawProgress(params)
      if (text !== '' && run.steps.length < playLimits.steps) run.steps.push({ atMs: this.#now(), text })
    }
    const asked = { signal: run.stopping.signal, onProgress }
    void this.#options.client.request('tools/call', { name: tool, arguments: given }, asked).then((reply) => {
      if (run.state.kind === 'running') run.state = drawReply(reply, this.#now())
    })
    return run
  }

  /** Of those that have ended; there are fewer running ones than are kept. */
  #forgetOldest(): void {
    if (this.#runs.size < playLimits.runsKept) return
    const oldest = [...this.#runs.values()].find(({ state }) => state.kind !== 'running')
    if (oldest !== undefined) this.#runs.delete(oldest.id)
  }

  #tell({ stopping: _, ...run }: Run): Response {
    const view: PlayRunView = { ...run, nowMs: this.#now() }
    return Response.json(view)
  }
}
