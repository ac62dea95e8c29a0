// What is in a repository: its instruction files with their bytes, and the names of everything else.
//
// Nothing is followed out of the repository: a symbolic link counts only if its target is inside.
// Folders with third-party code or build output are skipped, and so is our own state folder. Of a
// repository inside this one (a submodule, another working tree) only the names are seen: its files are not this one's.

import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { bytesDigest, fileDigest } from '../disk/bytes-digest.ts'
import { hasHiddenCharacter, isGitFolder } from '../disk/safe-path.ts'
import { onboardingLimits } from '../limits.ts'
import { unreadText } from '../text/findings.ts'
import { type DocumentRead, readDocument } from './document.ts'
import { isCursorLookalike, type Recognised, recognise } from './kinds.ts'

export interface InstructionFile extends Recognised {
  /** From the repository's root, with forward slashes, as it is spelled on disk. */
  readonly path: string
  readonly body: FileBody
}

export type FileBody =
  | {
      readonly is: 'text'
      readonly read: Extract<DocumentRead, { ok: true }>
      readonly digest: string
      readonly bytes: number
      readonly mode: number
    }
  /** A file that cannot be analysed: too long, not text, or not UTF-8. */
  | {
      readonly is: 'closed'
      readonly digest: string
      readonly line: number
      readonly why: string
      readonly mode: number
    }
  /** A link to another place in the repository. */
  | { readonly is: 'link'; readonly target: string; readonly to: string }
  /** A link that must not or cannot be followed. */
  | { readonly is: 'stray'; readonly target: string; readonly why: string }

export interface Repository {
  readonly root: string
  readonly files: readonly InstructionFile[]
  /** Every path that was seen, folders with a slash at the end. */
  readonly paths: ReadonlySet<string>
  /** Files in the folder of Cursor's rules that have another ending. */
  readonly lookalikes: readonly string[]
  /** Scripts of every package.json that was seen. */
  readonly scripts: ReadonlySet<string>
  /** What was not read, as text. */
  readonly unseen: readonly string[]
}

const skippedFolders = new Set([
  '.git',
  '.hg',
  '.svn',
  '.next',
  '.nuxt',
  '.terraform',
  '.tox',
  '.venv',
  '.yarn',
  '__pycache__',
  'bower_components',
  'coverage',
  'dist',
  'node_modules',
  'site-packages',
  'venv',
  'vendor',
])

export interface Discovering {
  readonly root: string
  /** Our own folder, from the root. */
  readonly stateFolder: string
}

export async function discover({ root, stateFolder }: Discovering): Promise<Repository> {
  const real = await realpath(root)
  const paths = new Set<string>()
  const found: { path: string; recognised: Recognised; isLink: boolean }[] = []
  const lookalikes: string[] = []
  const manifests: string[] = []
  const unseen: string[] = []
  const waiting: { folder: string; depth: number; isTheirs: boolean }[] = [{ folder: '', depth: 0, isTheirs: false }]
  let isFull = false
  for (let next = waiting.shift(); next !== undefined && !isFull; next = waiting.shift()) {
    const { folder, depth } = next
    const entries = await entriesOf(join(real, folder), folder, unseen)
    const isNested = folder !== '' && !next.isTheirs && entries.some(({ name }) => isGitFolder(name))
    if (isNested) unseen.push(unreadText.nestedRepository(folder))
    const isTheirs = next.isTheirs || isNested
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (hasHiddenCharacter(entry.name)) {
        unseen.push(unreadText.hiddenName(path))
        continue
      }
      if (path === stateFolder) continue
      if (paths.size >= onboardingLimits.entries) {
        unseen.push(unreadText.tooManyEntries(onboardingLimits.entries))
        isFull = true
        break
      }
      if (entry.isDirectory()) {
        paths.add(`${path}/`)
        if (skippedFolders.has(entry.name) || isGitFolder(entry.name)) continue
        if (depth >= onboardingLimits.depth) unseen.push(unreadText.tooDeep(path))
        else waiting.push({ folder: path, depth: depth + 1, isTheirs })
        continue
      }
      paths.add(path)
      if (isTheirs || (!entry.isFile() && !entry.isSymbolicLink())) continue
      const recognised = recognise(path)
      if (recognised !== undefined) found.push({ path, recognised, isLink: entry.isSymbolicLink() })
      else if (isCursorLookalike(path)) lookalikes.push(path)
      else if (entry.name === 'package.json' && entry.isFile()) manifests.push(path)
    }
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1))
  if (found.length > onboardingLimits.files) {
    unseen.push(unreadText.tooManyFiles(found.length, onboardingLimits.files))
  }
  const files: InstructionFile[] = []
  for (const { path, recognised, isLink } of found.slice(0, onboardingLimits.files)) {
    const body = isLink ? await linkBody(real, path) : await fileBody(join(real, path))
    files.push({ path, ...recognised, body })
  }
  return { root: real, files, paths, lookalikes: lookalikes.sort(), scripts: await scriptsIn(real, manifests), unseen }
}

async function entriesOf(place: string, folder: string, unseen: string[]) {
  try {
    const entries = await readdir(place, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    unseen.push(unreadText.folder(folder, wordsOf(error)))
    return []
  }
}

async function linkBody(root: string, path: string): Promise<FileBody> {
  const target = await readlink(join(root, path))
  let to: string
  try {
    to = await realpath(join(root, path))
  } catch {
    const meant = resolve(join(root, path, '..'), target)
    return isInside(root, meant)
      ? { is: 'stray', target, why: unreadText.noTarget(target) }
      : { is: 'stray', target, why: unreadText.outside(target) }
  }
  if (!isInside(root, to)) return { is: 'stray', target, why: unreadText.outside(target) }
  return { is: 'link', target, to: relative(root, to).split(sep).join('/') }
}

function isInside(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
}

async function fileBody(place: string): Promise<FileBody> {
  const { size, mode } = await lstat(place)
  const permissions = mode & 0o7777
  if (size > onboardingLimits.fileBytes) {
    const why = unreadText.tooLarge(size, onboardingLimits.fileBytes)
    return { is: 'closed', digest: await fileDigest(place), line: 1, why, mode: permissions }
  }
  const bytes = await readFile(place)
  const digest = bytesDigest(bytes)
  const read = readDocument(bytes)
  if (!read.ok) return { is: 'closed', digest, line: read.line, why: read.why, mode: permissions }
  return { is: 'text', read, digest, bytes: bytes.length, mode: permissions }
}

async function scriptsIn(root: string, manifests: readonly string[]): Promise<Set<string>> {
  const scripts = new Set<string>()
  for (const path of manifests.slice(0, onboardingLimits.files)) {
    try {
      const manifest: unknown = JSON.parse(await readFile(join(root, path), 'utf8'))
      const named = (manifest as { scripts?: Readonly<Record<string, unknown>> } | null)?.scripts ?? {}
      for (const name of Object.keys(named)) scripts.add(name)
    } catch {
      // The scripts of a manifest that cannot be read are unknown: then no script is reported as missing.
      return new Set(['*'])
    }
  }
  return manifests.length === 0 ? new Set(['*']) : scripts
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
