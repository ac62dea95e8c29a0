// The playground over HTTP: the tools of one server, and runs of them.
//
// The server is chosen on the command line that starts the program. A browser's request cannot name a command, an
// address or another server.
//
// A run ends with the page that started it: it is stopped when that page starts another run, and when no page has been
// open for some seconds. Stopping cancels the call, and the gateway withdraws its questions.

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
import { playRunText } from '../text/requests.ts'
import type { PlayClient } from './client-2025-11-25.ts'
import { drawProgress, drawReply } from './draw-result.ts'
import { drawTool } from './draw-tool.ts'

export interface PlayOptions {
  readonly client: PlayClient
  readonly server: string
  readonly target: string
  /** How many pages are open. */
  readonly openPages: () => number
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
  #check: NodeJS.Timeout | undefined
  #pageSeenAtMs = 0

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
        return problem('unavailable', playRunText.unreachable(reason))
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
    const { tool, arguments: given, replaces } = read.body
    if (typeof tool !== 'string' || tool === '' || !isPlainObject(given)) {
      return problem('malformed', playRunText.incomplete)
    }
    const replaced = typeof replaces === 'string' ? this.#runs.get(replaces) : undefined
    if (replaced !== undefined) this.#stop(replaced)
    if (this.#running.length >= playLimits.runsAtOnce) {
      return problem('too-many', playRunText.tooMany)
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
    this.#stop(run)
    return this.#response(run)
  }

  close(): void {
    clearInterval(this.#check)
  }

  get #running(): readonly Run[] {
    return [...this.#runs.values()].filter(({ state }) => state.kind === 'running')
  }

  #stop(run: Run): void {
    if (run.state.kind !== 'running') return
    run.state = { kind: 'stopped', atMs: this.#now() }
    run.stopping.abort()
  }

  /** Runs only while a tool runs. */
  #stopAbandoned(): void {
    if (this.#options.openPages() > 0) this.#pageSeenAtMs = this.#now()
    else if (this.#now() - this.#pageSeenAtMs >= playLimits.abandonedAfterMs) {
      for (const run of this.#running) this.#stop(run)
    }
    if (this.#running.length > 0) return
    clearInterval(this.#check)
    this.#check = undefined
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
    // The page that started this run was open just now, even if its change stream is not connected.
    this.#pageSeenAtMs = this.#now()
    this.#check ??= setInterval(() => this.#stopAbandoned(), playLimits.abandonedCheckMs)
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
