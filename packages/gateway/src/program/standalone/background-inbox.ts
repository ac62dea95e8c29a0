// The inbox in a process of its own, which outlives the process that starts it.

import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { homeFolder } from '@assent/tools/home'

/** The words of the command that the process runs. */
const backgroundCommand = ['inbox', 'serve'] as const

/** @param program the words that start this program, without a command */
export function startBackgroundInbox(program: readonly string[], variables: NodeJS.ProcessEnv): void {
  const [command = '', ...args] = program
  const home = homeFolder(variables)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const log = openSync(join(home, 'inbox.log'), 'w', 0o600)
  try {
    // Not in the project's folder, which could then not be deleted on Windows while the inbox runs.
    const options = { cwd: home, env: variables, detached: true, windowsHide: true } as const
    const child = spawn(command, [...args, ...backgroundCommand], { ...options, stdio: ['ignore', 'ignore', log] })
    child.once('error', () => undefined)
    child.unref()
  } finally {
    closeSync(log)
  }
}
