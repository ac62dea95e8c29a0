// The types of `assent.tool`, `assent.prompt` and `assent.resource`: what follows from a server and a schema.

import type { FormSource, StandardSchema } from '../ask/form-source.ts'
import type { Interaction } from '../interaction.ts'

/** `McpServer` of SDK 1.x or 2.x. */
export interface ToolServer {
  readonly server: object
  registerTool(...given: never[]): unknown
  registerPrompt(...given: never[]): unknown
  registerResource(...given: never[]): unknown
}

/** A schema, or an object of schemas by argument as SDK 1.x takes it. */
export type InputSchema = StandardSchema | Readonly<Record<string, StandardSchema>>

export interface ToolConfig<Input extends InputSchema | undefined = undefined> {
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: Input
  readonly outputSchema?: InputSchema
  readonly annotations?: {
    readonly title?: string
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
  readonly icons?: readonly object[]
  readonly _meta?: Readonly<Record<string, unknown>>
  /** The forms that the handler shows with `ask.form`: checked now, so that a mistake stops the server and no person. */
  readonly forms?: readonly FormSource[]
}

export interface PromptConfig<Input extends InputSchema | undefined = undefined> {
  readonly title?: string
  readonly description?: string
  readonly argsSchema?: Input
  readonly icons?: readonly object[]
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** The arguments of a handler: none without a schema. */
export type GivenOf<Input> =
  Input extends StandardSchema<infer Output>
    ? [given: Output]
    : Input extends Readonly<Record<string, StandardSchema>>
      ? [given: ShapeOutput<Input>]
      : []

type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : never
type OptionalIn<Shape> = { [N in keyof Shape]: undefined extends OutputOf<Shape[N]> ? N : never }[keyof Shape]
type ShapeOutput<Shape> = { [N in Exclude<keyof Shape, OptionalIn<Shape>>]: OutputOf<Shape[N]> } & {
  [N in OptionalIn<Shape>]?: OutputOf<Shape[N]>
}

/** The context that this server's SDK passes to handlers. */
export type ContextOf<Server> = Server extends {
  readonly server: { fallbackRequestHandler?: (request: never, context: infer Context) => unknown }
}
  ? Context
  : unknown

type Resolvable<Value> = Value | Promise<Value>

/** The result of a tool: text, or the members of the protocol's result. */
export type ToolOutput =
  | string
  | { readonly content: readonly { readonly type: string }[]; readonly [member: string]: unknown }
  | { readonly structuredContent: unknown; readonly [member: string]: unknown }

export type PromptOutput = string | { readonly messages: readonly object[]; readonly [member: string]: unknown }
export type ResourceOutput = string | { readonly contents: readonly object[]; readonly [member: string]: unknown }

export type ToolRegistration = <Server extends ToolServer, Input extends InputSchema | undefined = undefined>(
  server: Server,
  name: string,
  config: ToolConfig<Input>,
  handler: (...given: [...GivenOf<Input>, interaction: Interaction<ContextOf<Server>>]) => Resolvable<ToolOutput>,
) => ReturnType<Server['registerTool']>

export type PromptRegistration = <Server extends ToolServer, Input extends InputSchema | undefined = undefined>(
  server: Server,
  name: string,
  config: PromptConfig<Input>,
  handler: (...given: [...GivenOf<Input>, interaction: Interaction<ContextOf<Server>>]) => Resolvable<PromptOutput>,
) => ReturnType<Server['registerPrompt']>

/** The values of a template's variables. */
export type ResourceVariables = Readonly<Record<string, string | string[]>>

export interface ResourceRegistration {
  <Server extends ToolServer>(
    server: Server,
    name: string,
    uri: string,
    config: object,
    handler: (uri: URL, interaction: Interaction<ContextOf<Server>>) => Resolvable<ResourceOutput>,
  ): ReturnType<Server['registerResource']>
  <Server extends ToolServer>(
    server: Server,
    name: string,
    /** A `ResourceTemplate` of the SDK. */
    template: object,
    config: object,
    handler: (
      uri: URL,
      variables: ResourceVariables,
      interaction: Interaction<ContextOf<Server>>,
    ) => Resolvable<ResourceOutput>,
  ): ReturnType<Server['registerResource']>
}
