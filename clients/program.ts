// The program under test: the packed tarballs, installed into an empty folder, with the recorder in place of its main file.
//
// `assent init` writes the path of that main file into the configuration of a client, so a client that is set up by init
// starts the recorder, and the recorder starts the program.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { builtPackages } from '../scripts/build/built.ts'
import { run } from '../scripts/build/run.ts'
import { pack } from '../scripts/build/tarball.ts'

export interface Program {
  /** Runs a command of the program and returns what it printed on standard output, also if it fails. */
  command(args: readonly string[], context: CommandContext): Promise<Printed>
  /** A process that runs many commands, one after the other. */
  commands(context: CommandContext): Commands
}

export interface Commands {
  run(args: readonly string[]): Promise<Printed>
  /** Resolves when the process has ended. */
  close(): Promise<void>
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
  const cache = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return {
    commands: ({ folder: cwd, variables }) =>
      startCommands(join(home, 'node_modules', 'assent'), { folder: cwd, variables: { ...variables, ...cache } }),
    command: async (args, { folder: cwd, variables }) => {
      const env = { ...variables, ...cache }
      const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
      const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return { code, text: printed }
    },
  }
}

function startCommands(installed: string, { folder, variables }: CommandContext): Commands {
  const child = spawn(process.execPath, [commandsMain, installed], {
    cwd: folder,
    env: variables,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const results = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    run: async (args) => {
      child.stdin.write(`${JSON.stringify(args)}\n`)
      const { value, done } = await results.next()
      if (done === true) throw new Error('The process of the scripted person has ended.')
      return JSON.parse(value)
    },
    close: async () => {
      child.stdin.end()
      await exited
    },
  }
}

const commandsMain = fileURLToPath(new URL('commands.ts', import.meta.url))
const recorder = new URL('recorder.ts', import.meta.url).href
const recordingMain = `#!/usr/bin/env node
if (process.argv.length > 2) await import('./main-recorded.js')
else (await import(${JSON.stringify(recorder)})).record(new URL('main-recorded.js', import.meta.url))
`
