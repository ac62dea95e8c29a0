// `assent audit verify` of the installed program, as an auditor runs it.

import { execFile } from 'node:child_process'
import type { Installed } from './installed.ts'

export interface Verifying {
  readonly program: Installed
  readonly env: Record<string, string>
  /** The configuration whose store it is; without it the user's own. */
  readonly config?: string
}

export function verified({ program, env, config }: Verifying): Promise<{ code: number; output: string }> {
  const args = [program.main, 'audit', 'verify', ...(config === undefined ? [] : ['--config', config])]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
        output: `${stdout}${stderr}`.slice(0, 300),
      })
    })
  })
}
