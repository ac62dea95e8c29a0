// What this process can do at the person's desktop: run a program there, and open a page in their browser.

import { spawn } from 'node:child_process'
import { standaloneLimits } from './limits.ts'

export interface DesktopCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly input?: string
}

/** Whether the person of this process sits at the desktop of this machine. Over SSH they sit elsewhere. */
export function hasDesktop(platform: NodeJS.Platform, variables: NodeJS.ProcessEnv): boolean {
  const { SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = variables
  if (isGiven(SSH_CONNECTION) || isGiven(SSH_TTY)) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return isGiven(DISPLAY) || isGiven(WAYLAND_DISPLAY) || isGiven(WSL_DISTRO_NAME)
}

/** The command that opens a file or address in the browser; undefined where there is no desktop. */
export function openCommand(
  target: string,
  platform: NodeJS.Platform,
  variables: NodeJS.ProcessEnv,
): DesktopCommand | undefined {
  if (!hasDesktop(platform, variables)) return undefined
  if (platform === 'darwin') return { program: '/usr/bin/open', args: [target] }
  // Full paths on Windows: a name would be looked up in the current folder first, which may be the agent's project.
  if (platform === 'win32')
    return {
      program: `${windowsFolder(variables)}\\System32\\rundll32.exe`,
      args: ['url.dll,FileProtocolHandler', target],
    }
  // In WSL the browser is one of Windows.
  return { program: isGiven(variables.WSL_DISTRO_NAME) ? 'wslview' : 'xdg-open', args: [target] }
}

export function windowsFolder({ SystemRoot }: NodeJS.ProcessEnv): string {
  return SystemRoot ?? 'C:\\Windows'
}

/** Resolves when the program has ended well. Rejects if it is missing, fails or takes too long. */
export function runCommand({ program, args, input }: DesktopCommand, variables: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = standaloneLimits.notificationMs
    const options = { env: variables, timeout, windowsHide: true } as const
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${code ?? 'a signal'}.`))
    })
    // The program may end without reading it.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
  })
}

/**
 * Starts a program that may run on, such as a browser. Rejects if it is missing, or fails within the time in which an
 * opener reports that there is no browser.
 */
export function launch({ program, args }: DesktopCommand, variables: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: variables, stdio: 'ignore', detached: true, windowsHide: true })
    const timer = setTimeout(resolve, standaloneLimits.launchMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      // rundll32 has no exit codes.
      if (code === 0 || program.endsWith('rundll32.exe')) resolve()
      else reject(new Error(`${program} ended with ${code ?? 'a signal'}.`))
    })
    child.unref()
  })
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
