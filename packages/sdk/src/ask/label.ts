// A short name for a question, for errors and journals.

import { oneLine } from '@assent/core'
import { sdkLimits } from '../limits.ts'
import type { Description } from './describe.ts'

export function labelOf({ question }: Description): string {
  const words = question.kind === 'approval' ? question.title : question.message
  return oneLine(words, 'web', { maxChars: sdkLimits.labelChars })
}
