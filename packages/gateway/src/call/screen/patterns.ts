// Runs the regular expressions of servers' forms, in time proportional to the text.
//
// RE2 has no backtracking, so no pattern can stall the process; what needs it (lookaround, backreferences) is refused
// with a reason. Size and text are limited too, because the time also grows with the size of the compiled pattern.

import type { CompiledPattern, CompilePattern } from '@assent/core'
import { RE2JS } from 're2js'
import { patternLimits } from '../../limits.ts'

// Servers ask the same forms repeatedly: compiled patterns are cached up to a limit.
const known = new Map<string, CompiledPattern>()

/** Also used by the store, which checks the answers that it keeps. */
export const linearPatterns: CompilePattern = (pattern) => {
  const before = known.get(pattern)
  if (before !== undefined) return before
  const compiled = compile(pattern)
  if (known.size >= patternLimits.remembered) known.clear()
  known.set(pattern, compiled)
  return compiled
}

function compile(pattern: string): CompiledPattern {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    const size = compiled.programSize()
    if (size > patternLimits.instructions) return tooLarge
    const maxChars = Math.floor(patternLimits.steps / size)
    return { ok: true, matches: (text) => compiled.test(text), maxChars }
  } catch {
    return unsupported
  }
}

const tooLarge: CompiledPattern = {
  ok: false,
  reason: 'This pattern is too large to be checked. Use maxLength instead of counting characters in the pattern.',
}

const unsupported: CompiledPattern = {
  ok: false,
  reason:
    'This pattern cannot be checked in linear time. Lookahead, lookbehind and backreferences are not supported (RE2 syntax).',
}
