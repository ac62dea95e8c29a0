// What is left in an agent's own file when the instructions live in AGENTS.md: the way there, in words it follows.

import { posix } from 'node:path'
import type { InstructionKind } from '../files/kinds.ts'

/** The line that leads there; nothing for a kind whose file is not needed any more. */
export function pointerFor(kind: InstructionKind, path: string, target: string): string | undefined {
  const way = posix.relative(posix.dirname(path), target)
  switch (kind) {
    case 'claude':
      return `@${way}`
    case 'gemini':
      return way.startsWith('.') ? `@${way}` : `@./${way}`
    case 'copilot':
      return `The instructions for this repository are in [AGENTS.md](${way}). Read them before anything else.`
    case 'cursor-legacy':
    case 'windsurf':
      return 'Read AGENTS.md first: the instructions for this repository are there.'
    case 'agents':
    case 'claude-rule':
    case 'copilot-scoped':
    case 'cursor-rule':
      return undefined
  }
}
