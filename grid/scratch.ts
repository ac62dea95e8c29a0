// The directory of a run: databases, journals and logs of its processes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function scratch(): { readonly directory: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'assent-grid-'))
  return { directory, remove: () => rmSync(directory, { recursive: true }) }
}
