// One client with one imperfect server, directly or through a gateway: starts both and records what the client sees.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '../../test-kit/mcp/address.ts'
import type { Caller, CallerOptions, Seen } from '../compare/caller.ts'
import { gatewayTo, type Standing } from '../compare/gateway-to.ts'
import { Notebook } from '../compare/notes.ts'
import type { Generation } from '../messages.ts'
import { commandOf, type Processes, type Program } from '../processes.ts'
import { inEnvironment } from '../settings.ts'
import type { Case } from './case.ts'

export type Route = 'direct' | 'gateway'

export interface Visit {
  readonly route: Route
  readonly client: Generation
  readonly address: Address
  connect(options?: CallerOptions): Promise<Caller>
  note(step: string, value: unknown): void
  /** Notes how a request ended. */
  seen(step: string, seen: Seen): void
  /** The entries of the server's journal. */
  effects(): readonly string[]
}

/** Starts the server, and the gateway if the route has one. */
async function startProcesses(one: Case, route: Route, processes: Processes, journal: string): Promise<Standing[]> {
  const transport = one.transport === 'stdio' ? 'stdio' : 'http'
  const env = inEnvironment({ name: one.quirk ?? 'one', transport, journal })
  const server = await serverOf(programOf(one, transport), transport, env, processes)
  if (route === 'direct') return [server]
  return [server, await gatewayTo(processes, transport, { one: server.address })]
}

function programOf({ quirk, server }: Case, transport: 'stdio' | 'http'): Program {
  if (quirk !== undefined) return `imperfect/${transport}-server`
  return server === '2026' ? 'exchanges/server-2026-07-28' : 'exchanges/server-2025-11-25'
}

async function serverOf(
  program: Program,
  transport: 'stdio' | 'http',
  env: Record<string, string>,
  processes: Processes,
): Promise<Standing> {
  if (transport === 'stdio') return { address: commandOf(program, env, processes.directory) }
  const { child, url } = await processes.serve(program, env)
  return { address: { url }, child }
}

export async function visit(one: Case, route: Route, client: Generation, processes: Processes): Promise<Notebook> {
  const journal = join(processes.directory, `${randomUUID()}.journal`)
  const standing = await startProcesses(one, route, processes, journal)
  const address = standing.at(-1)?.address ?? { url: '' }
  const notebook = new Notebook()
  const callers: Caller[] = []
  const { connect } =
    client === '2026'
      ? await import('../compare/caller-2026-07-28.ts')
      : await import('../compare/caller-2025-11-25.ts')
  const legacySse = one.transport === 'sse' && route === 'direct'
  try {
    await one.play({
      route,
      client,
      address,
      connect: async (options = {}) => {
        const caller = await connect(address, { legacySse, ...options })
        callers.push(caller)
        return caller
      },
      note: (step, value) => notebook.note(step, value),
      seen: (step, seen) => notebook.seen(step, seen),
      effects: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []),
    })
  } catch (error) {
    notebook.note('failed', error instanceof Error ? error.message : String(error))
  } finally {
    for (const caller of callers) await caller.close().catch(() => undefined)
    for (const { child } of standing) if (child !== undefined) await processes.end(child)
  }
  return notebook
}
