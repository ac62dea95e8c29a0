// Stands in for the program of the installed package: starts it, copies both directions, and records every message.
//
// Clients pass few of their variables to a server, so the settings of a run are in a file in its home folder.

import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface RecorderSettings {
  /** The recording: one line of JSON per message. */
  readonly file: string
  /** Added to the variables that the client passes: only what keeps runs apart, such as a free port. */
  readonly variables: Readonly<Record<string, string>>
}

export type Recorded =
  | { readonly at: number; readonly from: 'client' | 'server'; readonly text: string }
  | { readonly at: number; readonly started: { readonly folder: string; readonly variables: readonly string[] } }

/** In the home folder of the run. */
export const settingsName = 'recorder.json'

/** @param program the real main file */
export function record(program: URL): void {
  const settings: RecorderSettings = JSON.parse(readFileSync(join(process.env.HOME ?? '', settingsName), 'utf8'))
  const write = (line: Recorded) => appendFileSync(settings.file, `${JSON.stringify(line)}\n`)
  write({ at: Date.now(), started: { folder: process.cwd(), variables: Object.keys(process.env).sort() } })
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...settings.variables },
  })
  const lines = (from: 'client' | 'server') => {
    let rest = ''
    return (chunk: string) => {
      const whole = (rest + chunk).split('\n')
      rest = whole.pop() ?? ''
      for (const text of whole) write({ at: Date.now(), from, text })
    }
  }
  process.stdin.setEncoding('utf8').on('data', lines('client')).pipe(child.stdin)
  child.stdout.setEncoding('utf8').on('data', lines('server')).pipe(process.stdout)
  // The program ends by itself when its client closes the pipe; the copy must not end first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.stdin.on('error', () => undefined)
  child.on('exit', (code) => process.exit(code ?? 1))
}
