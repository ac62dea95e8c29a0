// The command that `assent init` writes: the path of this program or, under npx, the same version from the registry.
//
// `npx -y assent` without a version would run the newest version in the registry at every start, so it is never
// written. For a program in node_modules, a global installation or a tarball, the path is written.

import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownVersion } from '../../protocol/version.ts'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export interface Program {
  /** The real path of its main file. */
  readonly script: string
  readonly version: string
  /** The path of the Node binary. */
  readonly node: string
}

const packageName = 'assent'

/** The program that this process runs. */
export function thisProgram(): Program {
  const isSource = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(new URL(`../../program/main.${isSource ? 'ts' : 'js'}`, import.meta.url))
  return { script, version: ownVersion(), node: process.execPath }
}

export function launchOf(program: Program): Launch {
  return isRunByNpxFromRegistry(program.script) ? npxLaunch(program) : pathLaunch(program)
}

export function npxLaunch({ version }: Program): Launch {
  return { command: 'npx', args: ['-y', `${packageName}@${version}`] }
}

export function pathLaunch({ script, node }: Program): Launch {
  // A checkout runs from its sources, which resolve only with this condition.
  return { command: node, args: [...(script.endsWith('.ts') ? ['--conditions=assent-source'] : []), script] }
}

/** Whether the command has no version, as earlier versions of init wrote it. */
export function isUnpinned({ command, args }: Launch): boolean {
  return command === 'npx' && args.includes(packageName)
}

/**
 * npx installs packages in `<cache>/_npx/<hash>`, whose manifest contains the requested specifier. A version or range
 * is from a registry; `file:`, `git+ssh:` and the like are not. If the package is installed in the project, `npx assent`
 * runs it from there, outside the cache.
 */
function isRunByNpxFromRegistry(script: string): boolean {
  const parts = script.split(sep)
  const at = parts.lastIndexOf('_npx')
  if (at < 0 || parts[at + 2] !== 'node_modules' || parts[at + 3] !== packageName) return false
  try {
    const manifest = JSON.parse(readFileSync(join(parts.slice(0, at + 2).join(sep), 'package.json'), 'utf8'))
    const asked: unknown = manifest.dependencies?.[packageName]
    return typeof manifest._npx === 'object' && typeof asked === 'string' && !/[:/]/.test(asked)
  } catch {
    // No npx manifest: the folder only has the same name as the npx cache.
    return false
  }
}
