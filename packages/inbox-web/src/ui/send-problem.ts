// Why an answer was not recorded, as text.

import type { InboxProblem } from '@assent/core'
import { cardText } from '../text/card.ts'

/** Without a reply it is not known whether an answer arrived. The same answer counts once. */
export function sendProblem({ code, message }: InboxProblem): string {
  return code === 'unavailable' ? cardText.answers.uncertain : message
}
