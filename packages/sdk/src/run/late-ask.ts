// An ask after the end of its handler. No person could answer it in time, and no caller receives its error, so it never settles:
// a rejection that nothing awaits would end the process. It is reported.

import { AssentError } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { askLabel } from '../ask/label.ts'
import type { RunSettings } from '../ask/run.ts'

export function reportLateAsk(description: Description, { onError }: RunSettings): void {
  const asked = `"${askLabel(description)}"`
  onError(
    new AssentError(
      'misconfigured',
      `The handler had already ended when ${asked} was asked, so no person was asked. Await every ask before the handler returns.`,
    ),
  )
}
