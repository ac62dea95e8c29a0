// The environment for answers near the deadline: two gateways on one database, one with a short `asks.wait`; the servers
// behind them; and the standalone program, once for each generation of clients.

import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../test-kit/listen.ts'
import { aDatabase, type ProofDatabase } from '../database.ts'
import { plainEnvironment, startGatewayProcess } from '../gateway-process.ts'
import type { Installed } from '../installed.ts'
import { Lookout } from '../lookout.ts'
import { PersonAtInbox } from '../person.ts'
import type { SectionInput } from '../section.ts'
import { startStdioClient } from '../stdio-client.ts'
import { HttpSession } from '../wire-2025-11-25.ts'
import { type Askers, startAskers } from './askers.ts'
import { type Caller, sessionCaller, statelessCaller, stdioCaller } from './callers.ts'
import { type Combination, gatewayWaitMs, longWaitMs, sideOf, toolWaitMs } from './combinations.ts'

export interface Scene {
  readonly askers: Askers
  readonly database: ProofDatabase
  /** Where the tools of this combination keep their files. */
  project(combination: Combination): string
  caller(combination: Combination): Caller
  lookout(combination: Combination): Lookout
  /** Folders of the two stores, as `assent audit verify` takes them. */
  readonly stores: { readonly gateways: string; readonly alone: string }
  close(): Promise<void>
}

type Callers = Readonly<Record<Combination['client'], Caller>>

interface Part {
  callersFor(combination: Combination): Callers
  readonly lookout: Lookout
  close(): Promise<void>
}

const shortSide = ['long', 'short'] as const

export async function aScene({ program, folder, random }: SectionInput): Promise<Scene> {
  const [askers, database] = await Promise.all([startAskers(program), aDatabase()])
  const [gateways, alone] = await Promise.all([
    startGateways(program, join(folder, 'gateways'), askers, database, Buffer.from(random.bytes(32))),
    startAlone(program, join(folder, 'alone')),
  ])
  const partOf = ({ place }: Combination) => (place === 'alone' ? alone : gateways)
  return {
    askers,
    database,
    project: (one) =>
      one.place === 'alone'
        ? projectIn(join(folder, 'alone'), one.client)
        : projectIn(join(folder, 'gateways'), sideOf(one)),
    caller: (combination) => partOf(combination).callersFor(combination)[combination.client],
    lookout: (combination) => partOf(combination).lookout,
    stores: { gateways: join(folder, 'gateways', 'long'), alone: join(folder, 'alone') },
    close: async () => {
      await Promise.all([gateways.close(), alone.close()])
      askers.close()
      await database.close()
    },
  }
}

async function startGateways(
  program: Installed,
  folder: string,
  { urls }: Askers,
  database: ProofDatabase,
  key: Buffer,
): Promise<Part> {
  const started = await Promise.all(
    shortSide.map(async (side) => {
      const place = join(folder, side)
      mkdirSync(place, { recursive: true })
      const [ownMs, toolMs] = side === 'long' ? [longWaitMs, toolWaitMs] : [gatewayWaitMs, longWaitMs]
      const env = {
        ...plainEnvironment(join(place, 'tools')),
        ASSENT_PROJECT: aFolder(folder, side),
        ASSENT_LISTEN: '127.0.0.1:0',
        ASSENT_ASKS_WAIT: `${toolMs}ms`,
      }
      const servers = {
        ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url }])),
        chained: { command: process.execPath, args: [program.main], env },
      }
      // JSON is YAML.
      const config = `
store: "${database.url}"
keys: { one: "${key.toString('base64')}" }
servers: ${JSON.stringify(servers)}
asks: { surfaces: [inbox], wait: ${ownMs}ms }
limits: { request_hold: ${side === 'long' ? '25s' : '600ms'}, open_per_caller: 10000, server_connections: 1000, server_processes: 100 }
`
      const gateway = await startGatewayProcess({ program, folder: place, config })
      const session = sessionCaller(await HttpSession.open(gateway.url))
      return { gateway, callers: { '2025-11-25': session, '2026-07-28': statelessCaller(gateway.url) } }
    }),
  )
  const [long, short] = started
  // Both gateways serve the asks of one store.
  const lookout = await Lookout.begin(() => PersonAtInbox.signIn(program, join(folder, 'long')))
  return {
    callersFor: (one) => (sideOf(one) === 'short' ? short : long)?.callers as Callers,
    lookout,
    close: async () => {
      // Nothing is open, so an orderly shutdown is not needed.
      await Promise.all(started.map(({ gateway }) => gateway.kill()))
    },
  }
}

async function startAlone(program: Installed, folder: string): Promise<Part> {
  mkdirSync(join(folder, 'home'), { recursive: true })
  const env = {
    ...plainEnvironment(folder),
    ASSENT_LISTEN: `127.0.0.1:${await freePort()}`,
    ASSENT_ASKS_WAIT: `${toolWaitMs}ms`,
  }
  const begin = async (revision: Combination['client']) => {
    const cwd = aProject(folder, revision)
    const client = await startStdioClient({ program, cwd, env, revision })
    return { client, caller: stdioCaller(client, revision) }
  }
  const older = await begin('2025-11-25')
  const newer = await begin('2026-07-28')
  const callers = { '2025-11-25': older.caller, '2026-07-28': newer.caller }
  const lookout = await Lookout.begin(() => PersonAtInbox.signInAlone(program, folder, env))
  return {
    callersFor: () => callers,
    lookout,
    close: async () => {
      await Promise.all([older.client.close(), newer.client.close()])
    },
  }
}

function projectIn(folder: string, name: string): string {
  return join(folder, `project-${name}`)
}

/** Without a repository: the tools would check its state first. */
function aFolder(folder: string, name: string): string {
  const root = projectIn(folder, name)
  mkdirSync(root, { recursive: true })
  return realpathSync(root)
}

/** A repository with two instruction files that onboarding would change. */
function aProject(folder: string, name: string): string {
  const root = aFolder(folder, name)
  writeFileSync(join(root, 'AGENTS.md'), '# Rules\n\n## Style\n\nUse tabs.\n\n## Style\n\nUse tabs.\n')
  writeFileSync(join(root, 'CLAUDE.md'), '# Rules\n\nUse tabs.\n')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'begin')
  return root
}
