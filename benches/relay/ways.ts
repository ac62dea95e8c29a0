// The routes from the bench's clients to its servers: direct, through a bare proxy, through the gateway.

import { Agent } from 'node:http'
import { join } from 'node:path'
import { openLine } from './client.ts'
import type { GatewaySettings } from './gateway.ts'
import type { Way } from './latency.ts'
import { commandOf, type Processes, type Served } from './processes.ts'
import { openStdioLine } from './stdio-client.ts'
import type { Generation } from './words.ts'

export interface RelayEnv {
  readonly generation: Generation
  readonly server: Served
  readonly proxy: Served
  readonly gateway: Served
}

export async function startRelayEnv(processes: Processes, generation: Generation): Promise<RelayEnv> {
  const server = await processes.serve('server', [generation, 'http'])
  const proxy = await processes.serve('proxy', [server.url])
  const gateway = await startGatewayFor(processes, server, `${generation}.sqlite`)
  return { generation, server, proxy, gateway }
}

export function startGatewayFor(processes: Processes, server: Served, database: string): Promise<Served> {
  return processes.serve('gateway', [settingsFor(processes, 'http', { url: server.url }, database)])
}

/** The gateway program of another checkout, in front of the same server. */
export function startOtherGateway(
  processes: Processes,
  file: string,
  { server, generation }: RelayEnv,
): Promise<Served> {
  const settings = settingsFor(processes, 'http', { url: server.url }, `other-${generation}.sqlite`)
  return processes.serveFile(file, [settings])
}

/** The gateway on the transports of the peers: a client over stdio, and a server over stdio. */
export async function seatsOfPeers(processes: Processes, { generation, server }: RelayEnv): Promise<Way[]> {
  const before = settingsFor(processes, 'stdio', { url: server.url }, `before-${generation}.sqlite`)
  const [command, ...args] = commandOf('server', [generation, 'stdio'])
  const behind = settingsFor(processes, 'http', { command, args }, `behind-${generation}.sqlite`)
  const { url } = await processes.serve('gateway', [behind])
  return [
    {
      name: gatewayBefore,
      generation,
      open: () => openStdioLine(generation, processes.spawn(commandOf('gateway', [before]).slice(1), 'read')),
    },
    httpWay(gatewayBehind, generation, url),
  ]
}

export const gatewayBefore = 'gateway, stdio client'
export const gatewayBehind = 'gateway, stdio server'

function settingsFor(
  processes: Processes,
  front: GatewaySettings['front'],
  server: GatewaySettings['server'],
  database: string,
): string {
  return JSON.stringify({ front, server, database: join(processes.folder, database) } satisfies GatewaySettings)
}

/** Every session is a different person. */
export function ownWays({ generation, server, proxy, gateway }: RelayEnv): Way[] {
  return [
    httpWay('direct', generation, server.url),
    httpWay('bare proxy', generation, proxy.url),
    httpWay('gateway', generation, gateway.url),
  ]
}

export function httpWay(name: string, generation: Generation, url: string): Way {
  const agent = newAgent()
  let people = 0
  return {
    name,
    generation,
    open: () => {
      people += 1
      return openLine(generation, url, agent, `person-${people}`)
    },
  }
}

export function newAgent(): Agent {
  return new Agent({ keepAlive: true, noDelay: true, maxFreeSockets: 256 })
}
