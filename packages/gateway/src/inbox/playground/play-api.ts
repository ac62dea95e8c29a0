// The playground over HTTP: the tools of one server, and runs of them.
//
// The server is chosen on the command line that starts the program. A browser's request cannot name a command, an
// address or another server.

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
import { awaitTool } from '../../call/route/await-answer.ts'
import { readJsonBody } from '../body.ts'
import { playLimits } from '../limits.ts'
import { notFound, problem } from '../problem.ts'
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
        const reason = oneLine(reply.error.message, 'web', { maxChars: playLimits.stepChars })
        return problem('unavailable', `The server cannot be reached, and nothing ran. ${reason}`)
      }
      // The gateway adds a tool for callers that cannot wait; the playground's user can.
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
      return problem('malformed', 'A run needs a tool and its arguments.')
    }
    const running = [...this.#runs.values()].filter(({ state }) => state.kind === 'running')
    if (running.length >= playLimits.runsAtOnce) {
      return problem('too-many', 'Too many tools are running. Stop one, or wait until one ends.')
    }
    return this.#response(this.#begin(tool, given as JsonObject))
  }

  read(id: string): Response {
    const run = this.#runs.get(id)
    return run === undefined ? notFound() : this.#response(run)
  }

  stop(id: string): Response {
    const run = this.#runs.get(id)
    if (run === undefined) return notFound()
    if (run.state.kind === 'running') {
      run.state = { kind: 'stopped', atMs: this.#now() }
      run.stopping.abort()
    }
    return this.#response(run)
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
    this.#deleteOldest()
    this.#runs.set(run.id, run)
    const onProgress = (params: JsonObject) => {
      const text = drawProgress(params)
      if (text !== '' && run.steps.length < playLimits.steps) run.steps.push({ atMs: this.#now(), text })
    }
    const requestOptions = { signal: run.stopping.signal, onProgress }
    void this.#options.client.request('tools/call', { name: tool, arguments: given }, requestOptions).then((reply) => {
      if (run.state.kind === 'running') run.state = drawReply(reply, this.#now())
    })
    return run
  }

  /** Deletes the oldest finished run. The limit of running ones is below the limit of kept ones. */
  #deleteOldest(): void {
    if (this.#runs.size < playLimits.runsKept) return
    const oldest = [...this.#runs.values()].find(({ state }) => state.kind !== 'running')
    if (oldest !== undefined) this.#runs.delete(oldest.id)
  }

  #response({ stopping: _, ...run }: Run): Response {
    const view: PlayRunView = { ...run, nowMs: this.#now() }
    return Response.json(view)
  }
}
