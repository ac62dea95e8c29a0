// Other relays for comparison: mcp-remote (stdio in front, HTTP behind) and supergateway (HTTP in front, stdio behind).
//
// They are not dependencies of ours: they are installed into the run's folder; without them the run continues. Both use
// stdio on one side, which is faster than HTTP, so each is compared with the gateway on the same transports.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../test-kit/listen.ts'
import type { Line } from './client.ts'
import type { Way } from './latency.ts'
import { commandOf, type Processes, type Served } from './processes.ts'
import { openStdioLine } from './stdio-client.ts'
import { gatewayBefore, gatewayBehind, httpWay } from './ways.ts'
import type { Generation } from './words.ts'

const packages = ['mcp-remote@0.15.1', 'supergateway@4.0.0']
const installMs = 120_000
const tryMs = 20_000

/** Returns the reason if they cannot be installed. */
export async function installPeers(folder: string): Promise<string | undefined> {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  try {
    await promisify(execFile)('npm', ['install', ...flags, ...packages], { timeout: installMs, cwd: folder })
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : String(error)
  }
}

/** The routes through peers that completed a test question; `left` is called for the others. */
export async function peerWays(
  processes: Processes,
  generation: Generation,
  server: Served,
  left: (name: string, reason: string) => void,
): Promise<Way[]> {
  const candidates = [() => mcpRemote(processes, generation, server), () => supergateway(processes, generation)]
  const working: Way[] = []
  for (const candidate of candidates) {
    const way = await candidate()
    const tried = await tryQuestion(way)
    if (tried === true) working.push(way)
    else left(way.name, tried)
  }
  return working
}

async function tryQuestion(way: Way): Promise<true | string> {
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
        // Closed by the first of its users.
        if (shared !== undefined) line.close()
        shared = undefined
      },
    }
  }
  return {
    name: 'mcp-remote',
    generation,
    rival: gatewayBefore,
    // One process for all calls: a hundred processes would measure the machine's memory.
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
