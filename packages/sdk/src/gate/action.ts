// The exact action a person approves: this server, this tool as it is defined now, these arguments.

import {
  type Action,
  AssentError,
  canonicalJson,
  isAssentError,
  type JsonObject,
  parseJsonStrictly,
  toolDefinitionDigest,
} from '@assent/core'

export interface ToolDefinition {
  readonly name: string
  readonly [member: string]: unknown
}

/** What is known of the tool that asks. */
export interface ToolIdentity {
  readonly server: string
  readonly name: string | undefined
  readonly definition: ToolDefinition | (() => ToolDefinition) | undefined
}

/**
 * Without a definition the tool is identified by its name only, or by the title of the action, and the approval is bound to
 * no more than that. The arguments are a frozen copy: what is shown, approved and run is the same.
 */
export function actionOf({ server, name, definition }: ToolIdentity, title: string, given: object): Action {
  const defined = typeof definition === 'function' ? definition() : definition
  const tool = name ?? defined?.name ?? title
  return {
    server,
    tool,
    definitionDigest: toolDefinitionDigest(defined ?? { name: tool }),
    arguments: frozen(parseJsonStrictly(canonical(given))) as JsonObject,
  }
}

function canonical(given: unknown): string {
  try {
    return canonicalJson(given)
  } catch (error) {
    if (!isAssentError(error)) throw error
    throw new AssentError(error.code, `This action cannot be approved. ${error.message}`, { cause: error })
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
