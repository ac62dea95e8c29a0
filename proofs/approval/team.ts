// A team: three people with accounts at an OpenID provider, two gateways on one PostgreSQL database in front of an ordinary
// server, a mail server, and a receiver of webhooks for each person.
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { aSecretKey, createGatewayProcess, type GatewayProcess } from '../../test-kit/gateway/gateway-process.ts'
import { freePort, listen } from '../../test-kit/listen.ts'
import { type MailServer, startMailServer } from '../../test-kit/mail-server.ts'
import { anIssuer, audience, inboxClient, type TestIssuer } from '../../test-kit/oidc/provider.ts'
import { createDatabase } from '../../test-kit/postgres.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { until } from '../../test-kit/until.ts'

/** All of them are release managers, also the requester: being one must not be enough for approving an own call. */
export const people = {
  ann: { name: 'Ann Lee', groups: ['engineers', 'release-managers'] },
  ben: { name: 'Ben Okafor', groups: ['release-managers'] },
  cleo: { name: 'Cleo Marin', groups: ['release-managers'] },
} as const

export type PersonName = keyof typeof people

/** A webhook whose signature was valid. */
export interface ReceivedHook {
  readonly for: string
  readonly type: string
  readonly data: { readonly ask: string; readonly title: string; readonly link: string; readonly outcome?: string }
  readonly body: string
}

export interface Replica extends GatewayProcess {
  /** Where people open the inbox. */
  readonly origin: string
}

export interface Team {
  readonly replicas: readonly [Replica, Replica]
  readonly issuer: TestIssuer
  readonly mail: MailServer
  readonly hooks: readonly ReceivedHook[]
  /** Webhooks whose signature was invalid. */
  readonly unverified: number
  /** A line for each run of the server's tool. */
  runs(): Promise<string[]>
  close(): Promise<void>
}

const plainServer = fileURLToPath(new URL('plain-server.ts', import.meta.url))
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

export async function openTeam(): Promise<Team> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-team-'))
  const runs = join(folder, 'runs')
  const [database, mail, ports] = await Promise.all([
    createDatabase(),
    startMailServer(),
    Promise.all([freePort(), freePort()]),
  ])
  const shared = { database, key: aSecretKey() }
  const received = { hooks: [] as ReceivedHook[], unverified: 0 }
  const receiver = await listen(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    try {
      const event = new Webhook(secret).verify(body, request.headers as Record<string, string>)
      received.hooks.push({ ...(event as Omit<ReceivedHook, 'for' | 'body'>), for: request.url?.slice(1) ?? '', body })
    } catch {
      received.unverified++
    }
    response.end()
  })
  const origins = ports.map((port) => `http://127.0.0.1:${port}`)
  const issuer = await anIssuer(
    origins.map((origin) => `${origin}/sign-in/callback`),
    people,
  )
  const replica = async (port: number): Promise<Replica> => {
    const origin = `http://127.0.0.1:${port}`
    const settings = settingsOf({ origin, issuer: issuer.url, runs, hooks: receiver.origin, mailPort: mail.port })
    const gateway = await createGatewayProcess(settings, { shared, port })
    await gateway.start()
    await until(async () => ((await fetch(`${origin}/readyz`)).status === 200 ? true : undefined))
    return { ...gateway, origin }
  }
  // One after the other: the first one creates the tables.
  const replicas = [await replica(ports[0]), await replica(ports[1])] as const
  return {
    replicas,
    issuer,
    mail,
    hooks: received.hooks,
    get unverified() {
      return received.unverified
    },
    runs: async () => {
      const text = await readFile(runs, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return ''
        throw error
      })
      return text.split('\n').filter((line) => line !== '')
    },
    close: async () => {
      for (const gateway of replicas) await gateway.close()
      await Promise.all([issuer.stop(), receiver.close(), mail.close()])
      await database.drop()
      await removeFolder(folder)
    },
  }
}

interface Places {
  readonly origin: string
  readonly issuer: string
  readonly runs: string
  readonly hooks: string
  readonly mailPort: number
}

function settingsOf({ origin, issuer, runs, hooks, mailPort }: Places): string {
  const words = (...all: string[]) => all.map((word) => JSON.stringify(word)).join(', ')
  const channels = Object.keys(people).flatMap((name) => [
    `    ${name}-hook: { webhook: { url: "${hooks}/${name}", secret: ${secret} } }`,
    `    ${name}-mail: { mail: { to: [${name}@example.com] } }`,
  ])
  return `
cluster: { listen: "127.0.0.1:0" }
identity: { issuer: "${issuer}", audience: "${audience}", groups_claim: groups }
inbox:
  url: "${origin}"
  client_id: ${inboxClient.id}
  client_secret: ${inboxClient.secret}
  scopes: [profile, groups]
asks: { surfaces: [client, inbox] }
servers:
  deploy: { command: ${words(process.execPath)}, args: [${words(plainServer, runs)}] }
groups:
  release: [group:release-managers]
policies:
  - name: production deploys
    tools: [deploy/rollout]
    when: { env: production }
    ask: { from: release, approvals: 2, exclude: requester, within: 30m }
  - { name: everything else, tools: "*", allow: true }
notify:
  networks: [127.0.0.0/8]
  to:
    release: [ben-hook, ben-mail, cleo-hook, cleo-mail]
    person:ann: [ann-hook, ann-mail]
  channels:
${channels.join('\n')}
  smtp: { host: 127.0.0.1, port: ${mailPort}, tls: none, from: assent@example.com }
`
}
