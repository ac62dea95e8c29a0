// The ways from the bench's clients to its servers: straight, through a bare proxy, through the gateway.

import { Agent } from 'node:http'
import { join } from 'node:path'
import { openLine } from './relay-client.part.ts'
import type { GatewaySettings } from './relay-gateway.part.ts'
import type { Way } from './relay-latency.part.ts'
import { commandOf, type Processes, type Served } from './relay-processes.part.ts'
import { openStdioLine } from './relay-stdio-client.part.ts'
import type { Generation } from './relay-words.part.ts'

export interface Stage {
  readonly generation: Generation
  readonly server: Served
  readonly proxy: Served
  readonly gateway: Served
}

export async function startStage(processes: Processes, generation: Generation): Promise<Stage> {
  const server = await processes.serve('server', [generation, 'http'])
  const proxy = await processes.serve('proxy', [server.url])
  const gateway = await startGatewayFor(processes, server, `${generation}.sqlite`)
  return { generation, server, proxy, gateway }
}

export function startGatewayFor(processes: Processes, server: Served, database: string): Promise<Served> {
  return processes.serve('gateway', [settingsFor(processes, 'http', { url: server.url }, database)])
}

/** The gateway on the errands that peers are made for: a client over stdio, and a server over stdio. */
export async function seatsOfPeers(processes: Processes, { generation, server }: Stage): Promise<Way[]> {
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

/** Every session is a person of its own. */
export function ownWays({ generation, server, proxy, gateway }: Stage): Way[] {
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
