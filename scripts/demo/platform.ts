// The parts of the demo for platform teams: a PostgreSQL server, an identity provider with three people, and a gateway with two
// ordinary servers and policies. All of them listen on loopback and end with this process.
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aSecretKey, createGatewayProcess } from '../../test-kit/gateway/gateway-process.ts'
import { freePort } from '../../test-kit/listen.ts'
import { anIssuer, audience, inboxClient } from '../../test-kit/oidc/provider.ts'
import { makeHome, PostgresServer, serverPort } from '../../test-kit/postgres-server.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const people = {
  ann: { name: 'Ann Lee', groups: ['engineers'] },
  ben: { name: 'Ben Okafor', groups: ['release-managers'] },
  cleo: { name: 'Cleo Marin', groups: ['release-managers', 'finance'] },
} as const

export interface Platform {
  /** Where people open the inbox. */
  readonly inbox: string
  /** Where clients connect. */
  readonly mcp: string
  readonly issuer: string
  readonly database: string
  /** The configuration file of the gateway. */
  readonly file: string
  close(): Promise<void>
}

/** Closes what was started if a later part does not start. */
export async function startPlatform(): Promise<Platform> {
  const started: (() => Promise<void>)[] = []
  const close = async () => {
    for (const stop of started.splice(0).reverse()) await stop()
  }
  try {
    const database = await startDatabase(started)
    const port = await freePort()
    const inbox = `http://127.0.0.1:${port}`
    const issuer = await anIssuer([`${inbox}/sign-in/callback`], people)
    started.push(() => issuer.stop())
    const shared = { database: { name: 'postgres', url: database, drop: async () => undefined }, key: aSecretKey() }
    const gateway = await createGatewayProcess(settingsFor(inbox, issuer.url), { shared, port })
    started.push(() => gateway.close())
    await gateway.start()
    return { inbox, mcp: gateway.mcp, issuer: issuer.url, database, file: gateway.file, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startDatabase(started: (() => Promise<void>)[]): Promise<string> {
  const home = join(tmpdir(), `assent-demo-${process.pid}`)
  makeHome(home)
  started.push(() => removeFolder(home))
  const server = new PostgresServer(home, 'postgres', await serverPort())
  try {
    await server.init()
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) throw new Error('PostgreSQL is not installed. Install it, or run as root: npm run services start')
    throw error
  }
  server.configure({ waitsForStandby: false })
  started.push(() => server.kill('with all its children'))
  // Also if this process ends without closing: the data must not stay behind.
  process.once('exit', () => {
    if (!existsSync(home)) return
    server.killNow('with all its children')
    rmSync(home, { recursive: true, force: true })
  })
  await server.start()
  return server.url
}

function settingsFor(inbox: string, issuer: string): string {
  const example = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../examples/platform-demo/${name}`, import.meta.url)))
  const node = JSON.stringify(process.execPath)
  return `
asks: { surfaces: [inbox] }
identity: { issuer: "${issuer}", audience: "${audience}", groups_claim: groups }
inbox:
  url: "${inbox}"
  client_id: ${inboxClient.id}
  client_secret: ${inboxClient.secret}
  scopes: [profile, groups]

servers:
  deploy: { command: ${node}, args: [${example('deploy-server.ts')}] }
  billing: { command: ${node}, args: [${example('billing-server.ts')}] }

groups:
  release: [group:release-managers]
  finance: [group:finance]

policies:
  - name: production deploys
    tools: [deploy/rollout]
    when: { env: production }
    ask: { from: release, approvals: 2, exclude: requester, within: 30m }

  - name: large refunds
    tools: [billing/refund]
    when: { amount: { above: 1000 } }
    ask: { from: finance, exclude: requester, reason: required }

  - name: everything else
    tools: ["*"]
    allow: true
`
}
