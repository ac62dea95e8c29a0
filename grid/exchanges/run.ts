// Exchanges of every kind with two and four servers behind one gateway, each compared with the same exchange without it.
//
// `npm run grid -- exchanges` makes all of them; `--quick` those with two servers; `--only <text>` those whose name has the
// text. Names and URIs are mapped by the documented prefixes; everything else must be equal, or listed with its reason.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '../../test-kit/mcp/address.ts'
import type { Answer, Caller, Seen } from '../compare/caller.ts'
import { compare, differenceText, type Listed, stale, type Verdict } from '../compare/differences.ts'
import { gatewayTo } from '../compare/gateway-to.ts'
import { Notebook } from '../compare/notes.ts'
import type { Generation } from '../messages.ts'
import { commandOf, Processes, type Program } from '../processes.ts'
import { scratch } from '../scratch.ts'
import { inEnvironment } from '../settings.ts'
import type { Exchange } from './exchange.ts'
import { exchanges } from './list.ts'
import { listed } from './listed.ts'
import { type Names, ownNames, prefixedNames } from './names.ts'

type Transport = 'stdio' | 'http'

interface Kind {
  readonly generation: Generation
  readonly transport: Transport
}

/** By their names behind the gateway. */
const kinds = {
  red: { generation: '2025', transport: 'stdio' },
  green: { generation: '2025', transport: 'http' },
  blue: { generation: '2026', transport: 'http' },
  black: { generation: '2026', transport: 'stdio' },
} as const satisfies Readonly<Record<string, Kind>>

type ServerName = keyof typeof kinds

interface Setup {
  readonly name: string
  readonly front: Transport
  readonly servers: readonly ServerName[]
}

const setups: readonly Setup[] = [
  { name: 'two', front: 'http', servers: ['red', 'blue'] },
  { name: 'two others', front: 'stdio', servers: ['green', 'black'] },
  { name: 'four', front: 'http', servers: ['red', 'green', 'blue', 'black'] },
]
const quickSetups = ['two']
const generations: readonly Generation[] = ['2025', '2026']

const answers: Readonly<Record<string, ReturnType<Answer>>> = {
  'elicitation/create': { action: 'accept', content: { colour: 'Rot' } },
  'roots/list': { roots: [{ uri: 'file:///home/ann', name: 'Home' }] },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } },
}
const answer: Answer = ({ method }) => answers[method] ?? {}

export interface Choice {
  readonly quick: boolean
  readonly only: string
}

interface Server {
  readonly address: Address
  readonly journal: string
}

async function start(name: ServerName, processes: Processes): Promise<Server> {
  const { generation, transport } = kinds[name]
  const program: Program = generation === '2026' ? 'exchanges/server-2026-07-28' : 'exchanges/server-2025-11-25'
  const journal = join(processes.directory, `${randomUUID()}.journal`)
  const env = inEnvironment({ name, transport, journal })
  if (transport === 'stdio') return { address: commandOf(program, env, processes.directory), journal }
  return { address: { url: (await processes.serve(program, env)).url }, journal }
}

async function connect(generation: Generation, to: Address): Promise<Caller> {
  const made =
    generation === '2026'
      ? await import('../compare/caller-2026-07-28.ts')
      : await import('../compare/caller-2025-11-25.ts')
  return made.connect(to, { answer, waitsForStream: true })
}

/** What the client sees of one server in all the chosen exchanges. */
async function notesOf(
  caller: Caller,
  name: ServerName,
  { journal }: Server,
  names: Names,
  chosen: readonly Exchange[],
): Promise<Notebook> {
  const notebook = new Notebook()
  for (const exchange of chosen) {
    const { clients = generations, servers = generations } = exchange
    const { generation } = kinds[name]
    if (!clients.includes(caller.generation) || !servers.includes(generation)) continue
    try {
      await exchange.run({
        caller,
        names,
        server: generation,
        seen: (seen: Seen) => notebook.seen(exchange.name, seen),
        note: (value) => notebook.note(exchange.name, value),
        effects: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []),
      })
    } catch (error) {
      notebook.note(exchange.name, `failed: ${String(error)}`)
    }
  }
  return notebook
}

async function directly(name: ServerName, processes: Processes, chosen: readonly Exchange[]): Promise<Notebook> {
  const server = await start(name, processes)
  const caller = await connect(kinds[name].generation, server.address)
  const notes = await notesOf(caller, name, server, ownNames, chosen)
  await caller.close()
  return notes
}

async function through(
  setup: Setup,
  client: Generation,
  processes: Processes,
  chosen: readonly Exchange[],
): Promise<Map<ServerName, Notebook>> {
  const servers = new Map<ServerName, Server>()
  for (const name of setup.servers) servers.set(name, await start(name, processes))
  const addresses = Object.fromEntries([...servers].map(([name, { address }]) => [name, address]))
  const { address } = await gatewayTo(processes, setup.front, addresses)
  const caller = await connect(client, address)
  const notes = new Map<ServerName, Notebook>()
  for (const [name, server] of servers) {
    notes.set(name, await notesOf(caller, name, server, prefixedNames(name), chosen))
  }
  await caller.close()
  return notes
}

/** The direct notes as a client behind the gateway must see them. */
function mapped(notes: ReadonlyMap<string, unknown>, names: Names, client: Generation): ReadonlyMap<string, unknown> {
  const kept = [...notes].filter(([step]) => {
    const { clients = generations } = exchanges.find(({ name }) => name === step) ?? {}
    return clients.includes(client)
  })
  return new Map(kept.map(([step, value]) => [step, names.within(inLists(step, value, names))]))
}

/** In lists the names of tools and prompts are prefixed too. */
function inLists(step: string, value: unknown, names: Names): unknown {
  if (!Array.isArray(value)) return value
  if (step === 'tools/list after list_changed') return value.map((name: string) => names.of(name))
  if (step !== 'tools/list' && step !== 'prompts/list') return value
  return value.map((item: { name: string }) => ({ ...item, name: names.of(item.name) }))
}

export async function runExchanges({ quick, only }: Choice): Promise<boolean> {
  const { directory, remove } = scratch()
  const processes = new Processes(directory)
  const chosen = exchanges.filter(({ name }) => name.includes(only))
  const used = setups.filter(({ name }) => !quick || quickSetups.includes(name))
  const direct = new Map<ServerName, Notebook>()
  for (const name of new Set(used.flatMap(({ servers }) => servers))) {
    direct.set(name, await directly(name, processes, chosen))
  }
  const verdicts: Verdict[] = []
  for (const setup of used) {
    for (const client of generations) {
      for (const [name, notes] of await through(setup, client, processes, chosen)) {
        const { generation, transport } = kinds[name]
        const sides = { isMixed: generation !== client }
        const expected = mapped(direct.get(name)?.for(sides) ?? new Map(), prefixedNames(name), client)
        const where = `${generation} ${transport} of ${setup.name}`
        verdicts.push(compare({ where, client }, expected, notes.for(sides), listedFor(generation)))
      }
    }
  }
  await processes.endAll()
  return report(verdicts, directory, remove)
}

/** The list names exchanges and generations; a difference is the same with two servers and with four. */
function listedFor(generation: Generation): Listed[] {
  return listed.filter(({ where }) => where === 'any' || where === generation)
}

function report(verdicts: readonly Verdict[], directory: string, remove: () => void): boolean {
  const unexplained = verdicts.flatMap((verdict) => verdict.unexplained)
  const gone = stale(verdicts).map(({ where, step }) => `✗ ${step} (${where} server): listed, but does not differ`)
  const compared = verdicts.reduce((sum, { steps }) => sum + steps, 0)
  const explained = verdicts.reduce((sum, { listed: entries }) => sum + entries.length, 0)
  const rows = verdicts.map(
    ({ where, client, steps, unexplained: differing, listed: entries }) =>
      `${client} client → ${where.padEnd(28)} ${String(steps).padStart(3)} exchanges, ${differing.length} differ, ${entries.length} as listed`,
  )
  const reasons = listed.map(
    ({ where, step, client, reason }) => `≠ ${step} (${where} server, ${client ?? 'any'} client): ${reason}`,
  )
  process.stdout.write(`${[...rows, '', ...reasons, ...unexplained.map(differenceText), ...gone, ''].join('\n')}\n`)
  if (unexplained.length === 0) remove()
  else process.stdout.write(`logs of the processes: ${directory}\n`)
  process.stdout.write(
    `exchanges: ${compared} compared, ${unexplained.length} unexplained differences, ${explained} as listed\n`,
  )
  return compared > 0 && unexplained.length === 0 && gone.length === 0
}
