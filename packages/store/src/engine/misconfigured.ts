// The error for a configuration that cannot work.

import { AssentError } from '@assent/core'

export function misconfigured(message: string): AssentError {
  return new AssentError('misconfigured', message)
}
