// A gateway that authenticates callers with the tokens of a real OpenID provider.

import { onTestFinished } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { audience } from '../../../../test-kit/oidc/provider.ts'
import type { TestProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { readConfig } from '../config/read-config.ts'
import { resourceOf } from '../http/identity/identify.ts'
import { identityLimits, setLimits } from '../limits.ts'
import { healthPages, identityPages } from '../program/pages.ts'
import { Readiness } from '../program/readiness.ts'
import { reloadableOf } from '../program/reloadable.ts'
import { aRawServer, call, complete } from './wire.suite.ts'

export async function aGatewayWithIdentity(
  provider: TestProvider,
  settings = '',
  react = () => complete as unknown,
  nowMs: () => number = Date.now,
) {
  const headers: Record<string, unknown>[] = []
  const server = await aRawServer((_request, _response, message) => {
    headers.push(message.headers)
    return react()
  })
  const text = `
identity: { issuer: "${provider.issuer}", audience: "${audience}", clock_tolerance: 0s, ${settings} }
servers: { deploy: { url: "${server.url}", headers: { Authorization: "Bearer of-the-gateway" } } }`
  const read = readConfig(text, { variables: {}, readFile: () => ({ ok: false, reason: '' }) })
  if (!read.ok || read.config.identity === undefined) throw new Error(JSON.stringify(read))
  const errors: unknown[] = []
  const { servers, ...changes } = reloadableOf(read.config, nowMs, (error) => errors.push(error))
  const condition = { resource: resourceOf(read.config.identity) }
  const testEnv = await openTestEnv()
  const readiness = new Readiness({
    store: testEnv.store,
    isDraining: () => false,
    areIssuerKeysRead: () => true,
    onChange: () => undefined,
  })
  const pages = { ...identityPages(condition), ...healthPages(readiness) }
  const gateway = await testEnv.gateway(servers, { ...changes, pages })
  return { ...gateway, testEnv, server, headers, errors }
}

export function callWith(url: string, token: string | undefined) {
  return call(url, {}, {}, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
}

export async function challengeFor(url: string, authorization?: string) {
  const response = await fetch(url, { method: 'POST', headers: authorization === undefined ? {} : { authorization } })
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    body: await response.text(),
  }
}

/** Until the test ends, a request waits for the keys of the issuer, however slow the machine is. */
export function waitForKeys(): void {
  onTestFinished(setLimits(identityLimits, { waitMs: 60_000, fetchMs: 60_000 }))
}
