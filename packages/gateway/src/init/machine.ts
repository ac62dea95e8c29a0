// The machine that `assent init` works on: whose home, which repository, where programs keep their configuration.
//
// Everything comes in from outside, so that a test can lay out a machine of its own in a folder.

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { homeFolder } from '@assent/tools/home'
import { type Launch, launchOf, type Program, thisProgram } from './launch.ts'

export interface Machine {
  readonly home: string
  /** Where the command was started. */
  readonly folder: string
  /** The git repository around it, if there is one. */
  readonly repository: string | undefined
  readonly platform: NodeJS.Platform
  readonly variables: NodeJS.ProcessEnv
  /** The program that runs, and what a client shall start. */
  readonly program: Program
  readonly launch: Launch
}

export function thisMachine(
  variables: NodeJS.ProcessEnv,
  folder: string,
  platform = process.platform,
  program = thisProgram(),
): Machine {
  const home = variables.HOME || variables.USERPROFILE || homedir()
  const repository = repositoryAround(folder, home)
  return { home, folder, repository, platform, variables, program, launch: launchOf(program) }
}

/** Where programs of a desktop keep their configuration, as Electron and the like have it. */
export function appFolder({ home, platform, variables }: Machine): string {
  if (platform === 'win32') return variables.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return xdgConfig({ home, variables })
}

/** `~/.config`, also on macOS for the programs that use it there. */
export function xdgConfig({ home, variables }: Pick<Machine, 'home' | 'variables'>): string {
  return variables.XDG_CONFIG_HOME || join(home, '.config')
}

/** Where Assent keeps what it must remember, for this user alone. */
export function stateFolder({ home, platform, variables }: Machine): string {
  return homeFolder(variables, platform, home)
}

export function hasCommand({ platform, variables }: Machine, name: string): boolean {
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  const folders = (variables.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => endings.some((ending) => isFile(join(folder, name + ending))))
}

/** A repository is not the home folder itself: there, what is written would be everybody's. */
function repositoryAround(folder: string, home: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (at === home) return undefined
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
