// Which files a rule file applies to, read from its front matter in the syntax of its agent.

import type { InstructionFile } from '../files/discover.ts'
import type { TextDocument } from '../files/document.ts'
import { matchesEverything } from '../files/glob.ts'

export interface Scope {
  readonly patterns: readonly string[]
  /**
   * When the agent reads it. always: with every request. matching: with files that match. chosen: when the agent
   * decides to. by hand: only when a person adds it.
   */
  readonly when: 'always' | 'matching' | 'chosen' | 'by-hand'
}

/** The key that holds the patterns, for each kind that has them. */
export const patternKey = { 'copilot-scoped': 'applyTo', 'cursor-rule': 'globs', 'claude-rule': 'paths' } as const

export function scopeOf({ kind }: Pick<InstructionFile, 'kind'>, { frontMatter }: TextDocument): Scope {
  const { fields } = frontMatter
  if (kind === 'copilot-scoped') {
    const patterns = fields.get('applyTo') ?? []
    return patterns.length === 0 ? { patterns, when: 'by-hand' } : { patterns, when: whenFor(patterns) }
  }
  if (kind === 'claude-rule') {
    const patterns = fields.get('paths') ?? []
    return patterns.length === 0 ? { patterns, when: 'always' } : { patterns, when: whenFor(patterns) }
  }
  if (kind !== 'cursor-rule') return { patterns: [], when: 'always' }
  if (fields.get('alwaysApply')?.[0] === 'true') return { patterns: [], when: 'always' }
  const patterns = fields.get('globs') ?? []
  if (patterns.length > 0) return { patterns, when: whenFor(patterns) }
  return { patterns, when: (fields.get('description') ?? []).length > 0 ? 'chosen' : 'by-hand' }
}

function whenFor(patterns: readonly string[]): Scope['when'] {
  return patterns.some(matchesEverything) ? 'always' : 'matching'
}

export function isForEverything({ when }: Scope): boolean {
  return when === 'always'
}
