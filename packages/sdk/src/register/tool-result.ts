// Checks what the handler of a tool returned, so that a missing `return` is not an empty result.

import { AssentError } from '@assent/core'

type Handler = (...given: unknown[]) => unknown

/** The members by which the SDKs recognise a result: content, a structured value, or a result of another type. */
const resultMembers = ['content', 'structuredContent', 'resultType']

export function withCheckedResult(handler: Handler, name: string): Handler {
  const checked: Handler = async (...given) => {
    const result = await handler(...given)
    if (typeof result === 'string' || isResult(result)) return result
    throw new AssentError(
      'misconfigured',
      `The tool "${name}" returned ${typed(result)}. Return a text, or an object with \`content\` or \`structuredContent\`.`,
    )
  }
  return Object.defineProperty(checked, 'length', { value: handler.length })
}

function isResult(result: unknown): boolean {
  return typeof result === 'object' && result !== null && resultMembers.some((member) => member in result)
}

function typed(result: unknown): string {
  if (result === undefined || result === null) return 'nothing'
  return typeof result === 'object' ? 'an object without content' : `a ${typeof result}`
}
