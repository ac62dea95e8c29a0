// Removes MCP tasks, in both forms, from what a server and a client see of each other.
//
// The gateway does not route `tasks/*` yet, and a task could carry questions past screening, the inbox and the audit
// log. Both forms are removed: the 2026-07-28 extension `io.modelcontextprotocol/tasks`, and the 2025-11-25 `tasks`
// capabilities, `params.task` and `execution.taskSupport`. A tool that works only as a task is left out of lists.
//
// I1  No request reaches the server with a task capability or `params.task`.
// I2  No task (`resultType: "task"`, or a 2025 `task` member) reaches a client: such a result fails the call.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import {
  type Answers,
  type Call,
  type Description,
  failed,
  type Outcome,
  type ServerState,
  type Upstream,
} from '../call/model.ts'
import { errorCodes, type Notification, objectAt, stringAt } from '../protocol/messages.ts'

const extension = 'io.modelcontextprotocol/tasks'

/** Called once for each tool that is left out of a list. */
export type OnLeftOut = (tool: string) => void

export class WithoutTasks implements Upstream {
  readonly name: string
  readonly #upstream: Upstream
  readonly #onLeftOut: OnLeftOut
  readonly #leftOut = new Set<string>()

  constructor(upstream: Upstream, onLeftOut: OnLeftOut) {
    this.name = upstream.name
    this.#upstream = upstream
    this.#onLeftOut = onLeftOut
  }

  async start(call: Call): Promise<Outcome> {
    if (call.method.startsWith('tasks/'))
      return failed(errorCodes.methodNotFound, `This gateway does not support tasks, so it has no ${call.method}.`)
    const outcome = await this.#upstream.start(withoutTasks(call))
    if (outcome.kind !== 'finished') return outcome
    if (call.method === 'tools/list') return { ...outcome, result: this.#listed(outcome.result) }
    return withoutTask(this.name, outcome)
  }

  async continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return withoutTask(this.name, await this.#upstream.continue(withoutTasks(call), state, given))
  }

  async describe(call: Call): Promise<Description> {
    const description = await this.#upstream.describe(withoutTasks(call))
    return { ...description, capabilities: withoutCapability(description.capabilities) }
  }

  listen(call: Call): Promise<void> {
    const notifications = objectAt(call.params, 'notifications')
    const { taskIds: _tasks, ...rest } = notifications ?? {}
    const params = notifications === undefined ? call.params : { ...call.params, notifications: rest }
    const notify: Call['notify'] = (notification) => {
      if (!notification.method.startsWith('notifications/tasks')) call.notify(notification)
    }
    return this.#upstream.listen({ ...withoutTasks(call), params, notify })
  }

  notify(call: Call, notification: Notification): void {
    this.#upstream.notify?.(withoutTasks(call), notification)
  }

  leave(principal: string, scope: string): void {
    this.#upstream.leave(principal, scope)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  #listed(result: JsonObject): JsonObject {
    if (!Array.isArray(result.tools)) return result
    const tools = result.tools.flatMap((tool: JsonValue): JsonValue[] => {
      const execution = isPlainObject(tool) ? objectAt(tool as JsonObject, 'execution') : undefined
      if (execution === undefined || !Object.hasOwn(execution, 'taskSupport')) return [tool]
      const { taskSupport, ...others } = execution
      const { execution: _both, ...rest } = tool as JsonObject
      if (taskSupport !== 'required') return [Object.keys(others).length === 0 ? rest : { ...rest, execution: others }]
      this.#report(stringAt(tool as JsonObject, 'name') ?? '')
      return []
    })
    return { ...result, tools }
  }

  #report(tool: string): void {
    if (this.#leftOut.has(tool)) return
    this.#leftOut.add(tool)
    this.#onLeftOut(tool)
  }
}

/** The call as a server sees it. */
export function withoutTasks(call: Call): Call {
  const capabilities = withoutCapability(call.client.capabilities)
  const client = capabilities === call.client.capabilities ? call.client : { ...call.client, capabilities }
  if (!Object.hasOwn(call.params, 'task')) return client === call.client ? call : { ...call, client }
  const { task: _task, ...params } = call.params
  return { ...call, client, params }
}

function withoutCapability(capabilities: JsonObject): JsonObject {
  const { tasks: _tasks, ...others } = capabilities
  const kept = Object.hasOwn(capabilities, 'tasks') ? others : capabilities
  const extensions = objectAt(kept, 'extensions')
  if (extensions === undefined || !Object.hasOwn(extensions, extension)) return kept
  const { [extension]: _extension, ...rest } = extensions
  if (Object.keys(rest).length > 0) return { ...kept, extensions: rest }
  const { extensions: _empty, ...bare } = kept
  return bare
}

function withoutTask(server: string, outcome: Outcome): Outcome {
  if (outcome.kind !== 'finished' || !isTask(outcome.result)) return outcome
  return failed(
    errorCodes.refused,
    `The server ${server} started a task although this gateway did not offer tasks. Its result cannot be fetched here: check what it did before calling it again.`,
  )
}

function isTask(result: JsonObject): boolean {
  if (result.resultType === 'task') return true
  const task = objectAt(result, 'task')
  return task !== undefined && typeof task.taskId === 'string' && !Object.hasOwn(result, 'content')
}
