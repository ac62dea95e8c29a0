// The configuration folders of the clients, by platform and variables.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appFolder, type Machine, xdgConfig } from './machine.ts'

export function claudeFile({ home, variables }: Machine): string {
  return join(variables.CLAUDE_CONFIG_DIR || home, '.claude.json')
}

/** The same folder name on every platform. */
export function claudeDesktopFolder(machine: Machine): string {
  return join(appFolder(machine), 'Claude')
}

export function codexHome({ home, variables }: Machine): string {
  return variables.CODEX_HOME || join(home, '.codex')
}

export function gooseFolder(machine: Machine): string {
  if (machine.platform === 'win32') return join(appFolder(machine), 'Block', 'goose', 'config')
  return join(xdgConfig(machine), 'goose')
}

export function zedFolder(machine: Machine): string {
  return machine.platform === 'win32' ? join(appFolder(machine), 'Zed') : join(xdgConfig(machine), 'zed')
}

/** Zed reads the first of these files that exists. */
export function zedRules(root: string): string {
  const names = [
    '.rules',
    '.cursorrules',
    '.windsurfrules',
    '.clinerules',
    '.github/copilot-instructions.md',
    'AGENT.md',
  ]
  return names.find((one) => existsSync(join(root, one))) ?? 'AGENTS.md'
}

/** The file of our own Conductor, in this folder. */
export function conductorFile(folder: string): string {
  return join(folder, 'agents', 'Conductor.agent.md')
}
