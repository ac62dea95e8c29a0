// The program under test: the packed tarballs, installed into an empty folder, with the recorder in place of its main file.
//
// `assent init` writes the path of that main file into the configuration of a client, so a client that is set up by init
// starts the recorder, and the recorder starts the program.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtPackages } from '../scripts/build/built.ts'
import { run } from '../scripts/build/run.ts'
import { pack } from '../scripts/build/tarball.ts'

export interface Program {
  /** Runs a command of the program and returns what it printed on standard output, also if it fails. */
  command(args: readonly string[], context: CommandContext): Promise<Printed>
}

export interface Printed {
  readonly code: number
  readonly text: string
}

export interface CommandContext {
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

/** @param folder an empty one */
export function installProgram(folder: string): Program {
  const tarballs = builtPackages().map((published) => pack(published, folder).path)
  const home = join(folder, 'installed')
  mkdirSync(home)
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline', '--prefix', home, ...tarballs],
    home,
  )
  const main = join(home, 'node_modules', 'assent', 'dist', 'program', 'main.js')
  renameSync(main, main.replace('main.js', 'main-recorded.js'))
  writeFileSync(main, recordingMain)
  // The person runs the same commands again and again.
  const cache = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return {
    command: async (args, { folder: cwd, variables }) => {
      const env = { ...variables, ...cache }
      const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
      const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return { code, text: printed }
    },
  }
}

const recorder = new URL('recorder.ts', import.meta.url).href
const recordingMain = `#!/usr/bin/env node
if (process.argv.length > 2) await import('./main-recorded.js')
else (await import(${JSON.stringify(recorder)})).record(new URL('main-recorded.js', import.meta.url))
`
