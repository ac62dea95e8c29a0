// The parts of a tool result that tests look at.

export interface ToolResultParts {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

/** @param result as a client of either SDK returns it */
export function toolResultParts(result: unknown): ToolResultParts {
  const { content, structuredContent, isError } = result as {
    content: { text: string }[]
    structuredContent?: Record<string, unknown>
    isError?: boolean
  }
  return { text: content[0]?.text ?? '', data: structuredContent ?? {}, isError: isError ?? false }
}
