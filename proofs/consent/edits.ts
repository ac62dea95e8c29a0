// Edits of the database: none lets a call run, and `assent audit verify` reports each one.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseEdit, databaseEdits, type EditedState } from '../../packages/store/src/contract/edits.corpus.ts'
import { aCountingServer, type CountingServer } from './counting-server.ts'
import { aDatabase, type ProofDatabase } from './database.ts'
import { type GatewayProcess, plainEnvironment, startGatewayProcess } from './gateway-process.ts'
import type { Installed } from './installed.ts'
import { PersonAtInbox } from './person.ts'
import { inParallel, type Section, type SectionInput, type SectionResult } from './section.ts'
import { verified } from './verify.ts'
import { send, stateOf } from './wire-2026-07-28.ts'

const atOnce = 3
/** A gateway asks one person for one answer, and grants belong to the SDK: the store's tests cover the other states. */
const reachable: readonly EditedState[] = ['open', 'accepted', 'declined', 'withdrawn']
const chosenEdits = databaseEdits.filter(
  ({ on, title }) => reachable.includes(on) && !/grant|action|digest column/.test(title),
)

export const editsSection: Section = {
  name: 'database edits',
  run,
  bugs: [
    {
      name: 'a changed row is not noticed when it is read',
      package: '@assent/store',
      file: 'dist/asks/signatures.js',
      from: /return signatureProblem\(this\.#options\.keys, ask, stored\);?/,
      to: 'return undefined;',
    },
  ],
}

async function run({ program, folder, share }: SectionInput): Promise<SectionResult> {
  const edits = share === 1 ? chosenEdits : chosenEdits.filter((_, index) => index % 9 === 1)
  const faults: string[] = []
  const numbered = edits.map((edit, index) => ({ edit, place: join(folder, String(index)) }))
  await inParallel(numbered, atOnce, async ({ edit, place }) => {
    faults.push(...(await faultsOf(program, place, edit)).map((fault) => `${edit.title}: ${fault}`))
  })
  return { tried: edits.length, faults }
}

async function faultsOf(program: Installed, folder: string, edit: DatabaseEdit): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const [server, database] = [await aCountingServer(), await aDatabase()]
  const config = `
store: "${database.url}"
keys: { one: "${Buffer.alloc(32, edit.title).toString('base64')}" }
servers: { pay: { url: "${server.url}" } }
asks: { surfaces: [inbox] }
limits: { request_hold: ${edit.on === 'withdrawn' ? '60s' : '200ms'} }
`
  const gateway = await startGatewayProcess({ program, folder, config })
  try {
    return await attacked({ program, folder, gateway, server, database }, edit)
  } finally {
    await gateway.stop()
    server.close()
    await database.close()
  }
}

interface Scene {
  readonly program: Installed
  readonly folder: string
  readonly gateway: GatewayProcess
  readonly server: CountingServer
  readonly database: ProofDatabase
}

async function attacked({ program, folder, gateway, server, database }: Scene, edit: DatabaseEdit): Promise<string[]> {
  const person = await PersonAtInbox.signIn(program, folder)
  const other = await accepted(gateway, person, 'other-')
  const target =
    edit.on === 'withdrawn' ? await withdrawn(gateway, person, 'target-') : await asked(gateway, person, 'target-')
  if (edit.on === 'accepted') await person.answer(target.id, { action: 'accept', content: { ok: true } })
  if (edit.on === 'declined') await person.answer(target.id, { action: 'decline' })
  const before = await verifiedIn(program, folder)
  const faults = before.code === 0 ? [] : [`audit verify fails before the edit: ${before.output}`]

  const content = await contentOf(database)
  await edit.apply((sql) => database.tamper(sql), { tenant: 'default', id: target.id, other: other.id })
  if ((await contentOf(database)) === content) faults.push('the edit changed nothing')
  if (target.state !== '') await send(gateway.url, retryOf(target)).catch(() => undefined)

  const runs = server.runs.get('target-') ?? 0
  if (edit.aim === 'release' && runs > 0) faults.push('the edit released the call')
  const after = await verifiedIn(program, folder)
  if (after.code === 0) faults.push(`audit verify does not report it: ${after.output}`)
  return faults
}

/** Of the tables that edits change. */
async function contentOf(database: ProofDatabase): Promise<string> {
  const tables = ['asks', 'ask_approvers', 'votes', 'grants', 'audit_entries', 'log_heads']
  const rows = tables.map((table) => database.tamper(`select t::text as row from ${table} t order by 1`))
  return JSON.stringify(await Promise.all(rows))
}

/** A call that ran, with an answer from the inbox while its first request or its retry waited. */
async function accepted(gateway: GatewayProcess, person: PersonAtInbox, ticket: string): Promise<Asked> {
  const calling = send(gateway.url, { method: 'tools/call', params: { name: 'pay', arguments: { ticket } } })
  const { id } = await person.find(ticket)
  await person.answer(id, { action: 'accept', content: { ok: true } })
  const state = stateOf(await calling) ?? ''
  if (state !== '') await send(gateway.url, retryOf({ id, ticket, state }))
  return { id, ticket, state }
}

/** A call whose caller dropped its first request. */
async function withdrawn(gateway: GatewayProcess, person: PersonAtInbox, ticket: string): Promise<Asked> {
  const dropping = new AbortController()
  const params = { name: 'pay', arguments: { ticket } }
  const calling = send(gateway.url, { method: 'tools/call', params, signal: dropping.signal }).catch(() => undefined)
  const { id } = await person.find(ticket)
  dropping.abort()
  await calling
  while ((await person.read(id)).state.kind === 'open') await sleep(50)
  return { id, ticket, state: '' }
}

interface Asked {
  readonly id: string
  readonly state: string
  readonly ticket: string
}

async function asked(gateway: GatewayProcess, person: PersonAtInbox, ticket: string): Promise<Asked> {
  const reply = await send(gateway.url, { method: 'tools/call', params: { name: 'pay', arguments: { ticket } } })
  return { ticket, state: stateOf(reply) ?? '', id: (await person.find(ticket)).id }
}

function retryOf({ ticket, state }: Asked) {
  return { method: 'tools/call', params: { name: 'pay', arguments: { ticket }, requestState: state } }
}

function verifiedIn(program: Installed, folder: string): Promise<{ code: number; output: string }> {
  return verified({ program, env: plainEnvironment(folder), config: join(folder, 'assent.yaml') })
}
