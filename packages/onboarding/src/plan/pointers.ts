// What is left in an agent's own file when the instructions are in AGENTS.md: a pointer that the agent follows.

import { posix } from 'node:path'
import type { InstructionKind } from '../files/kinds.ts'
import { writtenText } from '../text/plan.ts'

/** The line that points there; undefined for a kind whose file is no longer needed. */
export function pointerFor(kind: InstructionKind, path: string, target: string): string | undefined {
  const link = posix.relative(posix.dirname(path), target)
  switch (kind) {
    case 'claude':
      return `@${link}`
    case 'gemini':
      return link.startsWith('.') ? `@${link}` : `@./${link}`
    case 'copilot':
      return writtenText.copilotPointer(link)
    case 'cursor-legacy':
    case 'windsurf':
      return writtenText.pointer
    case 'agents':
    case 'claude-rule':
    case 'copilot-scoped':
    case 'cursor-rule':
      return undefined
  }
}
