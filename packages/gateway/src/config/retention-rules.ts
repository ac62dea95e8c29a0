// Rules between the settings of `retention`.

import type { RetentionSettings } from './retention-settings.ts'
import type { RuleFinding } from './server-rules.ts'

export function retentionProblems({ answers, record, calls }: RetentionSettings): RuleFinding[] {
  if (record === undefined) return []
  const longer = [...Object.entries({ answers, calls })].filter(([, ms]) => ms !== undefined && ms > record)
  return longer.map(([name]) => ({
    path: `retention.${name}`,
    words: 'is longer than retention.record, after which the rest is deleted',
    suggestion: `Set retention.record to the same or a longer time, or shorten retention.${name}.`,
  }))
}
