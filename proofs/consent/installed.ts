// The program as a user installs it: every package packed, and all tarballs installed into an empty folder.
//
// Owns: that folder, and copies of it with a planted bug. A copy shares its files by hard links; only the patched file is
// its own.

import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { builtPackages } from '../../scripts/build/built.ts'
import { run } from '../../scripts/build/run.ts'
import { pack } from '../../scripts/build/tarball.ts'

export interface Installed {
  readonly folder: string
  /** The script that `assent` starts. */
  readonly main: string
  /** A module of one of the installed packages. */
  path(name: string, file: string): string
  close(): void
}

/** A defect put into the installed program, which a section of the proof must find. */
export interface PlantedBug {
  readonly name: string
  readonly package: string
  readonly file: string
  readonly from: string | RegExp
  readonly to: string
}

export function install(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'assent-consent-'))
  const tarballs = builtPackages().map((published) => pack(published, folder).path)
  const home = join(folder, 'installed')
  mkdirSync(home)
  const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline', '--prefix', home]
  run('npm', [...args, ...tarballs], home)
  return installedIn(home, folder)
}

/** A copy of an installation in which one file has the bug. Throws if the pattern of the bug does not match the file. */
export function withBug(installed: Installed, bug: PlantedBug): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'assent-consent-bug-'))
  const home = join(folder, 'installed')
  linkTree(installed.folder, home)
  const copy = installedIn(home, folder)
  const file = copy.path(bug.package, bug.file)
  const before = readFileSync(file, 'utf8')
  const after = before.replace(bug.from, bug.to)
  if (after === before) throw new Error(`The bug "${bug.name}" does not apply to ${bug.file}.`)
  // Written as a new file, because the hard link shares its bytes with the installation without the bug.
  unlinkSync(file)
  writeFileSync(file, after)
  return copy
}

function installedIn(home: string, folder: string): Installed {
  const path = (name: string, file: string) => join(home, 'node_modules', ...name.split('/'), file)
  return {
    folder: home,
    main: path('assent', 'dist/program/main.js'),
    path,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isSymbolicLink()) cpSync(source, target, { verbatimSymlinks: true })
    else link(source, target)
  }
}

function link(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  linkSync(source, target)
}
