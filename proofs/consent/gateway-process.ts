// One gateway process of the installed program, started from a configuration file, that can be killed and started again.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Installed } from './installed.ts'

const listensWithinMs = 120_000

export interface GatewayProcess {
  /** The MCP endpoint; the same after a restart. */
  readonly url: string
  /** Where the inbox is. */
  readonly origin: string
  readonly isUp: boolean
  /** Its log, one JSON object per line. */
  readonly log: readonly string[]
  /** `kill -9`. Resolves when the process is gone. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface GatewayStart {
  readonly program: Installed
  /** A separate folder for its configuration and its home. */
  readonly folder: string
  /** YAML without `listen`. */
  readonly config: string
  /** By default a free port. */
  readonly listen?: string
}

/** The environment of a user who has only the program: only the PATH of this process is inherited. */
export function plainEnvironment(folder: string): Record<string, string> {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
  return { PATH: path, HOME: join(folder, 'home'), ASSENT_HOME: join(folder, 'state'), NO_COLOR: '1' }
}

export async function startGatewayProcess({
  program,
  folder,
  config,
  listen: at = '127.0.0.1:0',
}: GatewayStart): Promise<GatewayProcess> {
  mkdirSync(join(folder, 'home'), { recursive: true })
  const file = join(folder, 'assent.yaml')
  const log: string[] = []
  let child: ChildProcess | undefined
  let listen = at

  const start = async () => {
    writeFileSync(file, `listen: "${listen}"\ncluster: { listen: "127.0.0.1:0" }\n${config}`)
    const args = [program.main, 'gateway', '--config', file]
    const started = spawn(process.execPath, args, {
      cwd: folder,
      env: plainEnvironment(folder),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    const url = await listening(started, log)
    listen = new URL(url).host
    // With the assigned port, for a restart and for `assent inbox link`.
    writeFileSync(file, `listen: "${listen}"\ncluster: { listen: "127.0.0.1:0" }\n${config}`)
    return url
  }
  const ended = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill(signal)
    await gone
  }

  const url = await start()
  return {
    url,
    origin: new URL(url).origin,
    log,
    get isUp() {
      return child !== undefined
    },
    kill: () => ended('SIGKILL'),
    restart: async () => {
      await start()
    },
    stop: () => ended('SIGTERM'),
  }
}

function listening(child: ChildProcess, log: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(
    () => reject(new Error(`The gateway does not listen: ${log.slice(-5).join('\n')}`)),
    listensWithinMs,
  )
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    log.push(...lines)
    const line = lines.find((one) => one.includes('"Listening."'))
    if (line !== undefined) resolve(JSON.parse(line).url)
  })
  child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}: ${log.slice(-5).join('\n')}`)))
  return promise.finally(() => clearTimeout(timer))
}
