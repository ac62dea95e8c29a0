// Others that carry questions, on the same errand: mcp-remote (stdio in front, HTTP behind) and supergateway (HTTP in
// front, stdio behind).
//
// They are no dependencies of ours. They are installed by name into the run's own folder; without them the run goes on.
// Both have one leg over stdio, which is shorter than HTTP, so each is held against the gateway in the same seat.

import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Line } from './relay-client.part.ts'
import type { Way } from './relay-latency.part.ts'
import { commandOf, type Processes, type Served } from './relay-processes.part.ts'
import { openStdioLine } from './relay-stdio-client.part.ts'
import { gatewayBefore, gatewayBehind, httpWay } from './relay-ways.part.ts'
import type { Generation } from './relay-words.part.ts'

const packages = ['mcp-remote@0.15.1', 'supergateway@4.0.0']
const installMs = 120_000
const tryMs = 20_000

/** Says why in words when they cannot be had. */
export async function installPeers(folder: string): Promise<string | undefined> {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  try {
    await promisify(execFile)('npm', ['install', ...flags, ...packages], { timeout: installMs, cwd: folder })
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : String(error)
  }
}

/** The ways through the peers that carried a question when they were tried; `left` is told about the others. */
export async function peerWays(
  processes: Processes,
  generation: Generation,
  server: Served,
  left: (name: string, reason: string) => void,
): Promise<Way[]> {
  const candidates = [() => mcpRemote(processes, generation, server), () => supergateway(processes, generation)]
  const carrying: Way[] = []
  for (const candidate of candidates) {
    const way = await candidate()
    const tried = await carries(way)
    if (tried === true) carrying.push(way)
    else left(way.name, tried)
  }
  return carrying
}

async function carries(way: Way): Promise<true | string> {
  const endsAt = performance.now() + tryMs
  for (;;) {
    try {
      const timeout = sleep(tryMs, undefined, { ref: false }).then(() => {
        throw new Error('no answer in time')
      })
      const line = await Promise.race([way.open(), timeout])
      await Promise.race([line.trip(), timeout])
      line.close()
      return true
    } catch (error) {
      if (performance.now() > endsAt) return error instanceof Error ? error.message : String(error)
      await sleep(250)
    }
  }
}

function mcpRemote(processes: Processes, generation: Generation, server: Served): Way {
  const program = join(processes.folder, 'node_modules/mcp-remote/dist/proxy.js')
  const protocol = generation === '2025-11-25' ? 'legacy' : 'auto'
  const args = [program, server.url, '--allow-http', '--transport', 'http-only', '--protocol', protocol, '--silent']
  const env = { MCP_REMOTE_CONFIG_DIR: join(processes.folder, 'mcp-remote') }
  let shared: Promise<Line> | undefined
  const openShared = async (): Promise<Line> => {
    const line = await openStdioLine(generation, processes.spawn(args, 'read', env))
    return {
      trip: line.trip,
      close: () => {
        // All who share it close it; the first one counts.
        if (shared !== undefined) line.close()
        shared = undefined
      },
    }
  }
  return {
    name: 'mcp-remote',
    generation,
    rival: gatewayBefore,
    // One process carries the calls of all: a process for each of a hundred would measure the machine's memory.
    open: () => {
      shared ??= openShared()
      return shared
    },
  }
}

async function supergateway(processes: Processes, generation: Generation): Promise<Way> {
  const program = join(processes.folder, 'node_modules/supergateway/dist/index.js')
  const port = await freePort()
  const flags = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', String(port)]
  const child = processes.spawn(
    [program, '--stdio', commandOf('server', [generation, 'stdio']).join(' '), ...flags],
    'log',
  )
  child.on('error', () => undefined)
  return { ...httpWay('supergateway', generation, `http://127.0.0.1:${port}/mcp`), rival: gatewayBehind }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
