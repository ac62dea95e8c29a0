// `assent.tool`, `assent.prompt` and `assent.resource`: registers a handler that asks, in one call.
//
// Name, server, description and schema are given once. Settings and forms are checked here, when the server starts, and
// not when the first person would see them. Approvals are bound to the definition of the tool as it is registered. The server is
// recognised by shape: `McpServer` of SDK 1.x or 2.x.

import { AssentError, isName, toolDefinitionDigest } from '@assent/core'
import { isStandardSchema, parseFormSource } from '../ask/form-source.ts'
import type { Interactive, InteractiveOptions, McpHandler } from '../interactive.ts'
import { noteRecorded, recordingRaw } from '../raw-arguments.ts'
import { definitionOf } from './definition.ts'
import { withCheckedResult } from './tool-result.ts'
import type { PromptRegistration, ResourceRegistration, ToolConfig, ToolRegistration } from './types.ts'

type AnyHandler = Parameters<Interactive>[0]
type Register = (...given: unknown[]) => object

export interface Registration {
  readonly tool: ToolRegistration
  readonly prompt: PromptRegistration
  readonly resource: ResourceRegistration
}

export function createRegistration(interactive: Interactive): Registration {
  const handlerOf = (handler: unknown, options: InteractiveOptions): McpHandler<[], unknown, unknown> =>
    interactive(handler as AnyHandler, options)

  const tool = (server: object, name: string, config: ToolConfig<never>, handler: unknown): object => {
    const what = `the tool "${checkName(name)}"`
    checkConfig(config, what, 'assent.tool(server, name, { description }, handler)')
    const checked = withCheckedResult(checkHandler(handler, what), name)
    const register = methodOf(server, 'registerTool')
    const { forms = [], ...declared } = config
    checkForms(name, forms)
    let registered: Readonly<Record<string, unknown>> = { ...declared }
    const definition = () => definitionOf(name, registered)
    // Before it is registered, so that a definition that no approval could be bound to leaves no tool behind.
    toolDefinitionDigest(definition())
    const options = {
      ...({ name, server, kind: 'tool', definition } as const),
      // Read at each call, because a registered tool can be updated.
      get inputSchema() {
        return isStandardSchema(registered.inputSchema) ? registered.inputSchema : undefined
      },
    }
    const result = register(name, declared, handlerOf(checked, options))
    registered = result as typeof registered
    if (isStandardSchema(registered.inputSchema)) {
      if (isSdk2(server)) Object.assign(result, { inputSchema: recordingRaw(registered.inputSchema) })
      noteRecorded(result)
    }
    return result
  }

  const prompt = (server: object, name: string, config: { readonly argsSchema?: unknown }, handler: unknown) => {
    const what = `the prompt "${checkName(name)}"`
    checkConfig(config, what, 'assent.prompt(server, name, { description }, handler)')
    checkHandler(handler, what)
    const register = methodOf(server, 'registerPrompt')
    const { argsSchema } = config
    const recorded =
      isSdk2(server) && isStandardSchema(argsSchema) ? { ...config, argsSchema: recordingRaw(argsSchema) } : config
    return register(name, recorded, handlerOf(handler, { name, server, kind: 'prompt' }))
  }

  const resource = (server: object, name: string, address: unknown, config: object, handler: unknown) => {
    const what = `the resource "${checkName(name)}"`
    checkConfig(config, what, 'assent.resource(server, name, uri, { description }, handler)')
    checkHandler(handler, what)
    const register = methodOf(server, 'registerResource')
    return register(name, address, config, handlerOf(handler, { name, server, kind: 'resource' }))
  }

  // The types of the registrations relate a server, its schema and its handler; at run time these are plain objects.
  return { tool, prompt, resource } as unknown as Registration
}

function checkName(name: string): string {
  if (typeof name === 'string' && isName(name)) return name
  throw new AssentError(
    'misconfigured',
    'A tool, prompt or resource needs a name that can be shown: its second argument.',
  )
}

function checkConfig(config: unknown, what: string, example: string): void {
  if (typeof config === 'object' && config !== null) return
  throw new AssentError(
    'misconfigured',
    `The config of ${what} is missing: an object before the handler, which may be empty. Write ${example}.`,
  )
}

function checkHandler(handler: unknown, what: string): (...given: unknown[]) => unknown {
  if (typeof handler === 'function') return handler as (...given: unknown[]) => unknown
  throw new AssentError('misconfigured', `The handler of ${what} is not a function: it is the last argument.`)
}

function checkForms(name: string, forms: readonly unknown[]): void {
  for (const [index, form] of forms.entries()) {
    try {
      parseFormSource(form as never)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new AssentError('schema_refused', `Form ${index + 1} of the tool "${name}" cannot be shown. ${why}`, {
        cause: error,
      })
    }
  }
}

function methodOf(server: object, method: 'registerTool' | 'registerPrompt' | 'registerResource'): Register {
  const found = typeof server === 'object' && server !== null ? (server as Record<string, unknown>)[method] : undefined
  if (typeof found === 'function' && typeof innerOf(server)?.getClientCapabilities === 'function')
    return found.bind(server) as Register
  throw new AssentError(
    'misconfigured',
    `The first argument is not an McpServer of the MCP SDK: it has no ${method}. For other frameworks, use interactive(handler).`,
  )
}

function innerOf(server: object): Readonly<Record<string, unknown>> | undefined {
  return 'server' in server && typeof server.server === 'object' && server.server !== null
    ? (server.server as Readonly<Record<string, unknown>>)
    : undefined
}

/** Only SDK 2.x serves revision 2026-07-28, where a call comes back and its state is bound to its arguments. */
function isSdk2(server: object): boolean {
  return typeof innerOf(server)?.getNegotiatedProtocolVersion === 'function'
}
