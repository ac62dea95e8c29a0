// What `assent init` has a client start: this very program, or, under npx, the same version of it from the registry.
//
// `npx -y assent` without a version would start whatever is newest in the registry at every start, so it is never written. A
// program in a node_modules folder, a global installation and a tarball stay where they are: their path is written.

import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownVersion } from '../cli/version.ts'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export interface Program {
  /** Its main file, without symbolic links in its path. */
  readonly script: string
  readonly version: string
  /** The program that runs it. */
  readonly node: string
}

const packageName = 'assent'

/** What this process runs. */
export function thisProgram(): Program {
  const isSource = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(new URL(`../cli/main.${isSource ? 'ts' : 'js'}`, import.meta.url))
  return { script, version: ownVersion(), node: process.execPath }
}

export function launchOf(program: Program): Launch {
  return cameFromRegistryByNpx(program.script) ? npxLaunch(program) : pathLaunch(program)
}

export function npxLaunch({ version }: Program): Launch {
  return { command: 'npx', args: ['-y', `${packageName}@${version}`] }
}

export function pathLaunch({ script, node }: Program): Launch {
  // A checkout runs from its sources, which only this condition makes it find.
  return { command: node, args: [...(script.endsWith('.ts') ? ['--conditions=assent-source'] : []), script] }
}

/** What earlier versions wrote. */
export function isUnpinned({ command, args }: Launch): boolean {
  return command === 'npx' && args.includes(packageName)
}

/**
 * npx keeps what it fetched in `<cache>/_npx/<hash>`, whose manifest names what was asked for. A name with a version is from a
 * registry; `file:`, `git+ssh:` and the like are not. `npx assent` where it is installed runs the installed one, elsewhere.
 */
function cameFromRegistryByNpx(script: string): boolean {
  const parts = script.split(sep)
  const at = parts.lastIndexOf('_npx')
  if (at < 0 || parts[at + 2] !== 'node_modules' || parts[at + 3] !== packageName) return false
  try {
    const manifest = JSON.parse(readFileSync(join(parts.slice(0, at + 2).join(sep), 'package.json'), 'utf8'))
    const asked: unknown = manifest.dependencies?.[packageName]
    return typeof manifest._npx === 'object' && typeof asked === 'string' && !/[:/]/.test(asked)
  } catch {
    // No manifest of npx: a folder that is only called like its cache.
    return false
  }
}
