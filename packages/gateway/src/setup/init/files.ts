// Reads other programs' files and replaces them atomically.
//
// A file is replaced by a rename within its folder, so that no program reads a partial file. A symbolic link stays a
// link: its target is written.

import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { initLimits } from '../limits.ts'
import { fileText } from './text/files.ts'

export type ReadFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly digest: string; readonly target: string }
  | { readonly kind: 'unclear'; readonly because: string }

export function readText(file: string): ReadFile {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'none' }
  try {
    const target = realpathSync(file)
    const info = statSync(target)
    if (!info.isFile()) return unclear(fileText.notAFile)
    if (info.size > initLimits.fileBytes) return unclear(fileText.tooLarge(initLimits.fileBytes))
    const bytes = readFileSync(target)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { kind: 'text', text, digest: textDigest(text), target }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return unclear(fileText.brokenLink)
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return unclear(fileText.notUtf8)
    return unclear(code === 'EACCES' ? fileText.noReadPermission : fileText.unreadable(code))
  }
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined if the file is writable, else the reason. */
export function whyNotWritable(file: string): string | undefined {
  let at = existsSync(file) ? realpathSync(file) : dirname(file)
  while (!existsSync(at)) at = dirname(at)
  try {
    accessSync(at, constants.W_OK)
    return undefined
  } catch {
    return fileText.noWritePermission
  }
}

/** Replaces a file and keeps its mode. Returns the folders that had to be created, the outermost first. */
export function writeWhole(file: string, text: string, mode?: number): string[] {
  const made = makeFolders(dirname(file))
  const target = existsSync(file) ? realpathSync(file) : file
  const before = statSync(target, { throwIfNoEntry: false })
  // A rename would leave other hard links with the old content, so such a file is overwritten instead.
  if (before !== undefined && before.nlink > 1) {
    writeAll(target, 'w', text)
    return made
  }
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    writeAll(draft, 'wx', text, mode, before?.mode)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return made
}

export function removeFile(file: string, folders: readonly string[]): void {
  rmSync(file)
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      // The folder contains other files by now.
      return
    }
  }
}

function makeFolders(folder: string): string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  mkdirSync(folder, { recursive: true })
  return missing
}

function writeAll(path: string, flag: string, text: string, mode = 0o666, exactMode?: number): void {
  const handle = openSync(path, flag, exactMode === undefined ? mode : 0o600)
  try {
    if (exactMode !== undefined) fchmodSync(handle, exactMode & 0o7777)
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function unclear(because: string): ReadFile {
  return { kind: 'unclear', because }
}
