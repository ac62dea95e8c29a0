// Regular expressions in forms. The caller passes the engine that runs them.
//
// A form from another program is checked with an engine that takes linear time. `trustedPatterns` is for forms that the
// author of this program wrote, because the platform's own engine can be made to backtrack.

export type CompiledPattern =
  | {
      readonly ok: true
      readonly matches: (text: string) => boolean
      /** The longest text that it may be matched with, in Unicode code points. */
      readonly maxChars?: number
    }
  | { readonly ok: false; readonly reason: string }

/** Never throws. The same pattern may be compiled many times, so an engine should cache what it compiled. */
export type CompilePattern = (pattern: string) => CompiledPattern

/** Only for patterns that the author of this program wrote. */
export const trustedPatterns: CompilePattern = (pattern) => {
  try {
    const compiled = new RegExp(pattern, 'u')
    return { ok: true, matches: (text) => compiled.test(text) }
  } catch {
    return { ok: false, reason: 'This is not a valid regular expression.' }
  }
}

/** The default when no engine was passed. */
export const noPatterns: CompilePattern = () => ({ ok: false, reason: 'Patterns cannot be checked here.' })
