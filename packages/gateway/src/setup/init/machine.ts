// The machine that `assent init` changes: the home folder, the repository, and the configuration folders.
//
// Everything is passed in, so that a test can create a machine in a temporary folder.

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { homeFolder } from '@assent/tools/home'
import { type Launch, launchOf, type Program, thisProgram } from './launch.ts'

export interface Machine {
  readonly home: string
  /** The working directory of the command. */
  readonly folder: string
  /** The git repository around it, if there is one. */
  readonly repository: string | undefined
  readonly platform: NodeJS.Platform
  readonly variables: NodeJS.ProcessEnv
  /** The running program, and the command that is written for clients. */
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

/** The configuration folder of desktop programs, as Electron defines it. */
export function appFolder({ home, platform, variables }: Machine): string {
  if (platform === 'win32') return variables.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return xdgConfig({ home, variables })
}

/** The folder of VS Code's default profile; of VS Code Insiders if only that is used. */
export function codeFolder(machine: Machine): string {
  const [stable, insiders] = codeFolders(machine)
  return !existsSync(stable) && existsSync(insiders) ? insiders : stable
}

export function codeFolders(machine: Machine): readonly [stable: string, insiders: string] {
  const folder = appFolder(machine)
  return [join(folder, 'Code', 'User'), join(folder, 'Code - Insiders', 'User')]
}

/** `~/.config`, also on macOS for the programs that use it there. */
export function xdgConfig({ home, variables }: Pick<Machine, 'home' | 'variables'>): string {
  return variables.XDG_CONFIG_HOME || join(home, '.config')
}

/** Assent's state folder, which only this user can read. */
export function stateFolder({ home, platform, variables }: Machine): string {
  return homeFolder(variables, platform, home)
}

export function hasCommand({ platform, variables }: Machine, name: string): boolean {
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  const folders = (variables.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => endings.some((ending) => isFile(join(folder, name + ending))))
}

/** A home folder is never treated as a repository: its files are the user's configuration. */
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
