// The scene of the loopback attacks: a gateway with an inbox on plain http, a person who is signed in there, and an open
// question that only they may answer.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { aCountingServer, type CountingServer } from '../counting-server.ts'
import { type GatewayProcess, plainEnvironment, startGatewayProcess } from '../gateway-process.ts'
import type { Installed } from '../installed.ts'
import { inboxLink, PersonAtInbox } from '../person.ts'
import { send } from '../wire-2026-07-28.ts'
import type { AttackTally } from './tally.ts'

export interface LoopbackScene {
  readonly program: Installed
  readonly folder: string
  readonly gateway: GatewayProcess
  /** The gateway's configuration without `listen`. */
  readonly config: string
  readonly origin: string
  readonly port: number
  readonly person: PersonAtInbox
  readonly target: { readonly id: string; readonly marker: string }
  readonly server: CountingServer
  /** The quick form makes fewer tries. */
  readonly isFull: boolean
  /** Raises another question; the id of its ask. */
  ask(ticket: string): Promise<string>
  /** A link from the command line, at this gateway. */
  link(): Promise<string>
  close(): Promise<void>
}

export interface Attack {
  readonly name: string
  run(scene: LoopbackScene, tally: AttackTally): Promise<void>
}

/** A ticket `link-<port>` asks the person to open a page at that port of this computer. */
function askFor(ticket: string): object {
  const [, port] = /^link-(\d+)$/.exec(ticket) ?? []
  const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean', title: 'Pay?' } }, required: ['ok'] }
  return port === undefined
    ? { mode: 'form', message: `Pay ${ticket}?`, requestedSchema }
    : { mode: 'url', message: `Read ${ticket}`, url: `http://localhost:${port}/docs`, elicitationId: ticket }
}

export async function aLoopbackScene(program: Installed, folder: string, isFull: boolean): Promise<LoopbackScene> {
  const server = await aCountingServer({ ask: askFor })
  const config = `
store: "sqlite:${join(folder, 'assent.db')}"
servers: { pay: { url: "${server.url}" } }
asks: { surfaces: [inbox], wait: 2h }
limits: { request_hold: 200ms }
`
  const gateway = await startGatewayProcess({ program, folder, config })
  const { port } = new URL(gateway.origin)
  const person = await PersonAtInbox.signIn(program, folder)
  const ask = async (ticket: string) => {
    const params = { name: 'pay', arguments: { ticket } }
    await send(gateway.url, { method: 'tools/call', params, capabilities: { elicitation: { form: {}, url: {} } } })
    return (await person.find(ticket)).id
  }
  const marker = `target-${randomBytes(8).toString('hex')}`
  const id = await ask(marker)
  return {
    program,
    folder,
    gateway,
    config,
    origin: `http://localhost:${port}`,
    port: Number(port),
    person,
    target: { id, marker },
    server,
    isFull,
    ask,
    link: () => inboxLink(program, ['--config', join(folder, 'assent.yaml')], folder, plainEnvironment(folder)),
    close: async () => {
      await gateway.stop()
      server.close()
    },
  }
}

/** The approval that an attacker wants to record. */
export function acceptance(): string {
  const decisionId = randomBytes(12).toString('hex')
  return JSON.stringify({ decisionId, answer: { action: 'accept', content: { ok: true } } })
}
