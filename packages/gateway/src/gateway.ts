// The composition root: one gateway made of its parts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeyRing, Person } from '@assent/core'
import type { Store } from '@assent/store'
import type { Serving } from './downstream/context.ts'
import { hostProblem } from './downstream/host.ts'
import { HttpEndpoint } from './downstream/http.ts'
import { serveStream } from './downstream/stdio.ts'
import { relayLimits } from './limits.ts'
import { AuditTrail } from './relay/audit-trail.ts'
import type { Call, Upstream } from './relay/exchange.ts'
import { checkServerNames } from './relay/names.ts'
import { Parking } from './relay/parking.ts'
import { Relay } from './relay/relay.ts'
import { openUpstream, type ServerConfig } from './upstream/open-upstream.ts'

export interface GatewayOptions {
  /** Where clients connect over Streamable HTTP; port 0 picks one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** By name. With several, tools and prompts are called `name__tool`. */
  readonly servers: Readonly<Record<string, ServerConfig>>
  readonly store: Store
  /** For the state that travels with clients. All replicas have the same. */
  readonly keys: KeyRing
  /** Who sends this request; undefined refuses it. Without it everyone is the one local person. */
  readonly identify?: (request: IncomingMessage) => Person | undefined
  /** How long a person may take. */
  readonly askWaitMs?: number
  /** Told about trouble in the background, and what servers write to their logs. */
  readonly onTrouble?: (error: unknown) => void
  readonly onServerLog?: (server: string, line: string) => void
}

export interface Gateway {
  /** The MCP endpoint. */
  readonly url: string
  close(): Promise<void>
}

const path = '/mcp'
const localPerson: Person = { principal: 'local', groups: [] }

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { serving, close } = assemble(options)
  const endpoint = new HttpEndpoint(serving)
  const identify = options.identify ?? (() => localPerson)
  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
    respond(endpoint, identify, request, response).catch((error: unknown) => {
      options.onTrouble?.(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  const { port } = await listening(server, options.listen)
  return {
    url: `http://${options.listen.host}:${port}${path}`,
    close: async () => {
      server.close()
      await endpoint.close()
      server.closeAllConnections()
      await close()
    },
  }
}

/** The same gateway for one client on this process's standard input and output. Ends when the client does. */
export async function serveStdio(options: Omit<GatewayOptions, 'listen' | 'identify'>): Promise<void> {
  const { serving, close } = assemble(options)
  await serveStream(serving, process.stdin, process.stdout)
  await close()
}

function assemble(options: Omit<GatewayOptions, 'listen'>): { serving: Serving; close(): Promise<void> } {
  const names = Object.keys(options.servers)
  checkServerNames(names)
  const askWaitMs = options.askWaitMs ?? relayLimits.askWaitMs
  const onTrouble = options.onTrouble ?? (() => undefined)
  const trail = new AuditTrail(options.store.audit, onTrouble)
  const opened = new Map<string, Promise<Upstream>>()

  const find = (name: string, call: Call): Promise<Upstream> => {
    let upstream = opened.get(name)
    if (upstream === undefined) {
      const config = options.servers[name]
      if (config === undefined) throw new Error(`No server is called ${name}.`)
      const onLog = (line: string) => options.onServerLog?.(name, line)
      // Asked on nobody's behalf: whoever happens to come first must not decide what the others find.
      const signal = new AbortController().signal
      upstream = openUpstream(name, config, { ...call, notify: () => undefined, signal }, { askWaitMs, onLog })
      opened.set(name, upstream)
      upstream.catch(() => opened.delete(name))
    }
    return upstream
  }
  const relay = new Relay(names, find, trail)
  const parking = new Parking(options.store, relay, askWaitMs, onTrouble)
  return {
    serving: { relay, parking, keys: options.keys, tenant: 'default', askWaitMs },
    close: async () => {
      await parking.close()
      const all = await Promise.allSettled(opened.values())
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)))
      await trail.close()
    },
  }
}

async function respond(
  endpoint: HttpEndpoint,
  identify: (request: IncomingMessage) => Person | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number) => {
    response.writeHead(status).end()
  }
  if (new URL(request.url ?? '/', 'http://gateway').pathname !== path) return refuse(404)
  if (hostProblem(request) !== undefined) return refuse(403)
  const person = identify(request)
  if (person === undefined) return refuse(401)
  await endpoint.handle(request, response, person)
}

async function listening(server: Server, { host, port }: GatewayOptions['listen']): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  return server.address() as AddressInfo
}
