// Whether a path matches a pattern such as `src/**/*.{ts,tsx}`, as `applyTo`, `globs` and `paths` use them.
//
// Matched segment by segment without regular expressions across segments, so no pattern takes long.

import { onboardingLimits } from '../limits.ts'

/** Without a slash the pattern is for a name in any folder. Undefined for an unsupported pattern. */
export function matcherOf(pattern: string): ((path: string) => boolean) | undefined {
  if (pattern.length > onboardingLimits.globChars || /[[\]()!]/.test(pattern)) return undefined
  const spelled = alternatives(pattern.replace(/^\.?\//, ''))
  if (spelled === undefined) return undefined
  const all = spelled.map((one) => {
    const trailing = one.endsWith('/') ? `${one}**` : one
    return (trailing.includes('/') ? trailing : `**/${trailing}`).split('/')
  })
  return (path) => all.some((segments) => matches(segments, path.split('/')))
}

export function matchesEverything(pattern: string): boolean {
  return ['**', '*', '**/*', '**/**', '/**', './**'].includes(pattern)
}

/** `a{b,c}` as `ab` and `ac`; nothing when the braces are not in order or there are too many. */
function alternatives(pattern: string): string[] | undefined {
  const [, before, inner, after] = /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(pattern) ?? []
  if (before === undefined || inner === undefined || after === undefined) {
    return /[{}]/.test(pattern) ? undefined : [pattern]
  }
  const spelled: string[] = []
  for (const choice of inner.split(',')) {
    const rest = alternatives(`${before}${choice}${after}`)
    if (rest === undefined) return undefined
    spelled.push(...rest)
    if (spelled.length > 64) return undefined
  }
  return spelled
}

function matches(segments: readonly string[], parts: readonly string[]): boolean {
  // reachable[i]: the first i segments can match what was walked so far.
  let reachable = closure(segments, new Set([0]))
  for (const part of parts) {
    const next = new Set<number>()
    for (const index of reachable) {
      const segment = segments[index]
      if (segment === undefined) continue
      if (segment === '**') next.add(index)
      else if (segmentMatches(segment, part)) next.add(index + 1)
    }
    reachable = closure(segments, next)
    if (reachable.size === 0) return false
  }
  return reachable.has(segments.length)
}

/** `**` also matches nothing. */
function closure(segments: readonly string[], from: Set<number>): Set<number> {
  for (const index of from) if (segments[index] === '**') from.add(index + 1)
  return from
}

function segmentMatches(segment: string, part: string): boolean {
  // Two pointers; on a mismatch it goes back only to the last star.
  let s = 0
  let p = 0
  let star = -1
  let mark = 0
  while (p < part.length) {
    if (segment[s] === '*') {
      star = s++
      mark = p
    } else if (s < segment.length && (segment[s] === '?' || segment[s] === part[p])) {
      s++
      p++
    } else if (star >= 0) {
      s = star + 1
      p = ++mark
    } else return false
  }
  while (segment[s] === '*') s++
  return s === segment.length
}
