// Who may use which part of the test kit, and what the test kit itself may use.
//
// `test-kit/<package>/` belongs to that package: it may use the package and what the package imports. Everything else in the
// kit uses no package of ours, so that the tests of every package may load it.
import { posix } from 'node:path'
import type { SourceFile, Workspace } from '../workspace.ts'
import type { Violation } from './imports.ts'
import { reachesOf } from './reaches.ts'
import { table } from './table.ts'

export function isTestKit(path: string): boolean {
  return path.startsWith('test-kit/')
}

/** @param user the folder of a package, or undefined for the general part of the kit */
export function mayUseTestKit(user: string | undefined, path: string): boolean {
  const owner = ownerOf(path)
  return owner === undefined || (user !== undefined && reachable(user).includes(owner))
}

/** What a file of the test kit imports and may not. */
export function judgeTestKit(file: SourceFile, { packages }: Workspace): Violation[] {
  const owner = ownerOf(file.path)
  const allowed = owner === undefined ? [] : reachable(owner)
  return reachesOf(file).flatMap(({ specifier, spelling, line }) => {
    const target = specifier === null ? undefined : folderOf(specifier, file.path, packages)
    const isAllowed =
      target === undefined ||
      (target.startsWith('packages/') && allowed.includes(target.slice('packages/'.length))) ||
      (isTestKit(target) && mayUseTestKit(owner, target)) ||
      target.startsWith('scripts/')
    if (isAllowed) return []
    const because = `${spelling} '${specifier}': ${file.path} may use ${allowed.join(', ') || 'no package of ours'}`
    return [{ rule: 'table', file: file.path, line, because }]
  })
}

/** The package that this part of the kit belongs to. */
function ownerOf(path: string): string | undefined {
  const [, folder = ''] = path.split('/')
  return Object.hasOwn(table, folder) ? folder : undefined
}

function reachable(folder: string): readonly string[] {
  return [folder, ...(table[folder] ?? [])]
}

/** `packages/<folder>` for a package of ours, by name or by path; another path of the workspace; undefined for the rest. */
function folderOf(specifier: string, from: string, packages: Workspace['packages']): string | undefined {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier)
    return path.startsWith('packages/') ? path.split('/').slice(0, 2).join('/') : path
  }
  const found = Object.entries(packages).find(([, { name }]) => specifier === name || specifier.startsWith(`${name}/`))
  return found === undefined ? undefined : `packages/${found[0]}`
}
