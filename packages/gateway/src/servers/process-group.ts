// Starts servers as process groups, so that the children of a server (npx, a shell, a browser) end with it.
//
// Owns: the groups that were started and have not ended.
// I1  Two seconds after `endGroup`, or after its first process ended, no process of a group runs.
// I2  When this process exits, no process of any group runs (except after an exit without the `exit` event).
//
// Windows has no process groups: there only the first process is ended.

import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'

type Child = ChildProcessWithoutNullStreams

const killAfterMs = 2_000
const hasGroups = process.platform !== 'win32'
/** Each child with a promise that resolves when its group has ended. */
const running = new Map<Child, Promise<void>>()

process.once('exit', () => {
  for (const child of running.keys()) kill(child)
})

export function startGroup(command: string, args: readonly string[], options: SpawnOptionsWithoutStdio): Child {
  const child = spawn(command, [...args], { ...options, stdio: 'pipe', detached: hasGroups })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      if (!isRunning(child)) return resolve()
      setTimeout(() => {
        kill(child)
        resolve()
      }, killAfterMs)
    })
    child.once('error', () => {
      if (child.pid === undefined) resolve()
    })
  })
  running.set(child, ended)
  void ended.then(() => running.delete(child))
  return child
}

/** Closes its input, which ends a server that follows the protocol, and kills what still runs two seconds later. */
export function endGroup(child: Child): void {
  child.stdin.end()
  const timer = setTimeout(() => kill(child), killAfterMs)
  child.once('exit', () => clearTimeout(timer))
}

/** Resolves when all groups have ended. Groups that still run after a few seconds are killed. */
export async function groupsEnded(): Promise<void> {
  const timer = setTimeout(() => {
    for (const child of running.keys()) kill(child)
  }, 2 * killAfterMs)
  await Promise.all(running.values())
  clearTimeout(timer)
}

function isRunning({ pid }: Child): boolean {
  if (pid === undefined || !hasGroups) return false
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}

function kill(child: Child): void {
  if (child.pid === undefined) return
  try {
    if (hasGroups) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // The process has already ended.
  }
}
