// Why an answer was not recorded, as text.

import type { InboxProblem } from '@assent/core'

/** Without a reply it is not known whether an answer arrived. The same answer counts once. */
export function sendProblem({ code, message }: InboxProblem): string {
  return code === 'unavailable' ? 'It is not certain that this arrived. Send it again: it counts once.' : message
}
