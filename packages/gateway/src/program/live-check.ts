// `assent config check --live`: tries the store, the issuer and the servers of a configuration, as the gateway would use
// them, and changes nothing.

import { compact } from '@assent/core'
import { type DatabaseReport, examinePostgres, examineSqlite } from '@assent/store'
import { reasonOf } from '../call/model.ts'
import { redactor, secretsOf } from '../config/redact.ts'
import type { Config } from '../config/settings.ts'
import { issuerKeysOf } from '../http/identity/identify.ts'
import { Issuer } from '../inbox/issuer.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { CheckedServer } from '../servers/check-servers.ts'
import { loginOf } from './inbox.ts'
import { checkIssuer } from './issuer-in-force.ts'
import { policiesInForce } from './policies-in-force.ts'
import { checkedServers, serverLines } from './run-servers.ts'
import { storePlace } from './state.ts'
import { type Terminal, toned } from './terminal.ts'
import { configText, liveText as text } from './text/configuration.ts'

export interface LiveResult {
  readonly ok: boolean
  readonly words: string
}

export interface LiveReport {
  readonly ok: boolean
  readonly store: LiveResult
  /** Absent without `identity`. */
  readonly issuer?: LiveResult
  readonly servers: readonly CheckedServer[]
}

export async function checkLive(config: Config, variables: NodeJS.ProcessEnv): Promise<LiveReport> {
  const redact = redactor(secretsOf(config))
  const attempt = async (work: () => Promise<LiveResult>): Promise<LiveResult> => {
    const { ok, words } = await work().catch((error: unknown) => ({ ok: false, words: reasonOf(error) }))
    return { ok, words: redact(words) }
  }
  const [store, issuer, servers] = await Promise.all([
    attempt(() => checkStore(config, variables)),
    config.identity === undefined ? undefined : attempt(() => checkSignIn(config)),
    checkedServers(config),
  ])
  const ok = store.ok && issuer?.ok !== false && servers.every((one) => one.ok)
  return { ok, store, ...compact({ issuer }), servers }
}

async function checkStore(config: Config, variables: NodeJS.ProcessEnv): Promise<LiveResult> {
  const place = storePlace(config.store, variables)
  if (place.engine === 'sqlite') return storeResult(place.path, examineSqlite(place.path))
  const { host, pathname } = new URL(place.url)
  return storeResult(configText.postgres(host, pathname), await examinePostgres(place.url))
}

function storeResult(place: string, { schema, applied, missing, writeProblem }: DatabaseReport): LiveResult {
  const where = schema === undefined ? place : text.schema(place, schema)
  if (writeProblem !== undefined) return { ok: false, words: `${where}: ${writeProblem}` }
  if (applied === 0) return { ok: true, words: text.newStore(where) }
  const isUpToDate = missing.length === 0
  return {
    ok: true,
    words: isUpToDate ? text.upToDate(where, applied) : text.behind(where, missing.length, missing[0]),
  }
}

async function checkSignIn(config: Config): Promise<LiveResult> {
  const { identity } = config
  if (identity === undefined) return { ok: true, words: text.notConfigured }
  const ignore = () => undefined
  const policies = await policiesInForce(config)
  const count = await checkIssuer(issuerKeysOf(identity, ignore, policies?.excludesRequester))
  const keys = text.issuerKeys(identity.issuer, count)
  const { login } = loginOf(config)
  if (login === undefined) return { ok: true, words: keys }
  await new Issuer(login).configuration()
  return { ok: true, words: text.canSignIn(keys) }
}

export function liveLines({ store, issuer, servers }: LiveReport, terminal: Terminal): string[] {
  const { isOutColoured } = terminal
  const line = (what: string, { ok, words }: LiveResult) =>
    `${ok ? toned(isOutColoured, 'green', 'ok'.padEnd(5)) : toned(isOutColoured, 'red', 'error')} ${what}: ${safeLine(words)}`
  return [
    line('store', store),
    ...(issuer === undefined ? [] : [line('issuer', issuer)]),
    ...serverLines(servers, terminal, text.server),
  ]
}
