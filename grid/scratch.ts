// The directory of a run: databases, journals and logs of its processes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function scratch(): { readonly directory: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'assent-grid-'))
  // Processes that are still ending may write there.
  const patience = { maxRetries: 5, retryDelay: 200 }
  return { directory, remove: () => rmSync(directory, { recursive: true, ...patience }) }
}
