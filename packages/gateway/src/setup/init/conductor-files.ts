// Finds Conductor agents for VS Code, such as the one of Copilot Orchestra or our own.

import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { agentName, usesOurTools } from './edit/agent.ts'
import { readText } from './files.ts'
import { codeFolders, type Machine } from './machine.ts'

export interface ConductorFile {
  readonly file: string
  /** Undefined if the file cannot be read. */
  readonly text: string | undefined
  /** The name in the list of agents. */
  readonly name: string
}

const pattern = /^[\w-]*conductor[\w-]*\.(agent|chatmode)\.md$/i

/** @param root of the repository; undefined for the user's own agents */
export function conductorFiles(machine: Machine, root: string | undefined): ConductorFile[] {
  const folders =
    root === undefined
      ? [join(machine.home, '.copilot', 'agents'), ...codeFolders(machine).map((one) => join(one, 'prompts'))]
      : // Copilot Orchestra's instructions name the root of the project.
        [join(root, '.github', 'agents'), join(root, '.github', 'chatmodes'), root]
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => pattern.test(name))
      .map((name) => readConductor(join(folder, name))),
  )
}

/** Those that cannot call our tools, or do not. */
export function unconnectedConductors(machine: Machine, root: string | undefined): string[] {
  const files = conductorFiles(machine, root)
  return files.flatMap(({ file, text }) => (text === undefined || usesOurTools(text) ? [] : [file]))
}

function readConductor(file: string): ConductorFile {
  const read = readText(file)
  const text = read.kind === 'text' ? read.text : undefined
  const fileName = basename(file).replace(/\.(agent|chatmode)\.md$/i, '')
  return { file, text, name: (text === undefined ? undefined : agentName(text)) ?? fileName }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    // There is no such folder.
    return []
  }
}
