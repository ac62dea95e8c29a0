// Reads the workspace from disk for the tests of the workspace rules.
//
// Paths are relative to the root and use forward slashes, so planted samples and real files have the same form.
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  /** By subpath; `.` is the package itself. */
  readonly exports?: Readonly<Record<string, { readonly 'assent-source'?: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export interface Workspace {
  readonly root: Manifest
  /** By folder name under `packages/`. */
  readonly packages: Readonly<Record<string, Manifest>>
}

const rootPath = fileURLToPath(new URL('..', import.meta.url))
// `web` is the built web app, as the gateway serves it.
const notOurs = new Set(['node_modules', 'dist', 'web', 'coverage', '.git'])

export function readWorkspace(): Workspace {
  const folders = readdirSync(`${rootPath}packages`)
  return {
    root: readManifest('package.json'),
    packages: Object.fromEntries(folders.map((folder) => [folder, readManifest(`packages/${folder}/package.json`)])),
  }
}

/** The files that a package's manifest exports, with the names they are imported by. */
export function entriesOf({ packages }: Workspace): { name: string; folder: string; path: string }[] {
  return Object.entries(packages).flatMap(([folder, { name, exports = {} }]) =>
    Object.entries(exports).flatMap(([subpath, { 'assent-source': source }]) =>
      source === undefined
        ? []
        : [{ name: name + subpath.slice(1), folder, path: posix.join('packages', folder, source) }],
    ),
  )
}

export function readText(path: string): string {
  return readFileSync(rootPath + path, 'utf8')
}

/** Every folder of the repository, at any depth. */
export function listFolders(): string[] {
  return walk('').filter((path) => path.endsWith('/'))
}

/** Every TypeScript and JavaScript file under one folder. */
export function readSources(folder: string): SourceFile[] {
  return walk('')
    .filter((path) => path.startsWith(`${folder}/`) && /\.[cm]?[jt]sx?$/.test(path))
    .map((path) => ({ path, text: readText(path) }))
}

/** A test, a suite that several tests run, or a corpus of samples. Builds leave these out by name. */
export function isTestFile(path: string): boolean {
  return /\.(test|suite|corpus)\.[cm]?[jt]sx?$/.test(path)
}

function readManifest(path: string): Manifest {
  return JSON.parse(readText(path))
}

function walk(folder: string): string[] {
  const entries = readdirSync(rootPath + folder, { withFileTypes: true }).filter((entry) => !notOurs.has(entry.name))
  return entries.flatMap((entry) => {
    const path = folder + entry.name
    return entry.isDirectory() ? [`${path}/`, ...walk(`${path}/`)] : [path]
  })
}
