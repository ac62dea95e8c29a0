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
import { frozen } from '../frozen.ts'

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

const plainAdvice =
  'Leave out members that are undefined, and pass dates and instances of classes as text, numbers or plain objects.'

function canonical(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new AssentError('misconfigured', 'An approval needs arguments: an object with all that decides what happens.')
  try {
    return canonicalJson(given)
  } catch (error) {
    if (!isAssentError(error)) throw error
    const advice = error.code === 'not_canonical' ? ` ${plainAdvice}` : ''
    throw new AssentError(error.code, `This action cannot be approved. ${error.message}${advice}`, { cause: error })
  }
}
