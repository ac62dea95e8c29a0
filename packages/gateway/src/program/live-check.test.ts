import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openPostgres } from '@assent/store'
import pg from 'pg'
import { expect, test } from 'vitest'
import { audience } from '../../../../test-kit/oidc/provider.ts'
import { aProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { aFakeIssuer } from '../http/identity/fake-issuer.suite.ts'
import { aDatabase, aFolder, aKey, aProcessOf, assent } from './process.suite.ts'

const keys = createKeyRing([{ id: 'k1', secret: Buffer.from(aKey, 'base64') }])

async function aConfig(lines: readonly string[]): Promise<string> {
  return aFolder({ 'assent.yaml': lines.join('\n') })
}

test('[CHECK-4] a working store, issuer and servers are reported, and the exit code is 0', async () => {
  const { url } = await aDatabase()
  await (await openPostgres(url, { keys })).close()
  const provider = await aProvider()
  const folder = await aConfig([
    `store: ${url}`,
    `keys: { k1: "${aKey}" }`,
    `identity: { issuer: "${provider.issuer}", audience: "${audience}" }`,
    `servers: { a: ${aProcessOf('2026-07-28')} }`,
  ])

  const text = await assent(['config', 'check', '--live'], { folder })
  const json = await assent(['config', 'check', '--live', '--json'], { folder })

  expect({ code: text.code, err: text.err }).toEqual({ code: 0, err: '' })
  expect(text.out).toMatch(
    /^ok {4}store: postgres 127\.0\.0\.1:\d+\/\w+, schema assent: up to date \(\d+ migrations\); can be written$/m,
  )
  expect(text.out).toContain(`ok    issuer: ${provider.issuer}: 1 key read`)
  expect(text.out).toMatch(/^ok {4}server a: 2026-07-28 over stdio, 1 tool/m)
  expect(JSON.parse(json.out)).toMatchObject({
    ok: true,
    problems: [],
    live: { ok: true, store: { ok: true }, issuer: { ok: true }, servers: [{ name: 'a', ok: true }] },
  })
})

test('[CHECK-4] each failure is reported with its reason, and the exit code is 1', async () => {
  const { url, name } = await aDatabase()
  await (await openPostgres(url, { keys })).close()
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`alter database ${name} set default_transaction_read_only = on`)
  await admin.end()
  const provider = await aProvider()
  await provider.stop()
  const folder = await aConfig([
    `store: ${url}`,
    `keys: { k1: "${aKey}" }`,
    `identity: { issuer: "${provider.issuer}", audience: "${audience}" }`,
    'servers: { a: { command: no-such-program-here } }',
  ])

  const { code, out } = await assent(['config', 'check', '--live'], { folder })

  expect(code).toBe(1)
  expect(out).toMatch(/^error store: .*The database is read-only\.$/m)
  expect(out).toMatch(/^error issuer: The keys of .* cannot be read\. connect ECONNREFUSED/m)
  expect(out).toMatch(/^error server a: .*no-such-program-here was not found/m)
})

test('[CHECK-4] an unreachable database and an issuer with another name are reported without secrets', async () => {
  const provider = await aProvider()
  const folder = await aConfig([
    'store: postgres://assent:sw0rdfish@127.0.0.1:1/assent',
    `keys: { k1: "${aKey}" }`,
    `identity: { issuer: "${provider.issuer.replace('127.0.0.1', 'localhost')}", audience: "${audience}" }`,
    `servers: { a: ${aProcessOf('2026-07-28')} }`,
  ])

  const { code, out, err } = await assent(['config', 'check', '--live'], { folder })

  expect(code).toBe(1)
  expect(out).toMatch(/^error store: PostgreSQL cannot be reached: .*ECONNREFUSED/m)
  expect(out).toMatch(/^error issuer: .*Its metadata names another issuer\./m)
  expect(out + err).not.toContain('sw0rdfish')
})

test('[IDENT-15] an issuer with pairwise subjects is reported if a policy excludes the requester', async () => {
  const fake = await aFakeIssuer()
  fake.documents['/.well-known/openid-configuration'] = {
    issuer: fake.issuer,
    jwks_uri: `${fake.origin}/keys`,
    authorization_endpoint: `${fake.origin}/authorize`,
    subject_types_supported: ['pairwise'],
  }
  const checked = async (ask: string, more = '') => {
    const folder = await aConfig([
      'store: sqlite:./assent.db',
      `identity: { issuer: "${fake.issuer}", audience: "${audience}"${more} }`,
      'asks: { surfaces: [inbox] }',
      'inbox: { url: "https://assent.example.com", client_id: inbox }',
      `servers: { a: ${aProcessOf('2026-07-28')} }`,
      `policies: [{ name: all, tools: ["*"], ask: { from: person:ben${ask} } }]`,
    ])
    return assent(['config', 'check', '--live'], { folder })
  }

  const refused = await checked(', exclude: requester')
  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(/^error issuer: .*Set identity\.subject_claim/m)
  expect((await checked('')).code).toBe(0)
  expect((await checked(', exclude: requester', ', subject_claim: oid')).code).toBe(0)
})

test('[CHECK-4] a new SQLite store is checked without creating it', async () => {
  const folder = await aConfig(['store: sqlite:./new/assent.db', `servers: { a: ${aProcessOf('2025-11-25')} }`])

  const { code, out } = await assent(['config', 'check', '--live'], { folder })

  expect(code).toBe(0)
  expect(out).toContain(`store: ${join(folder, 'new', 'assent.db')}: new, without tables yet; can be written`)
  const { existsSync } = await import('node:fs')
  expect(existsSync(join(folder, 'new'))).toBe(false)
})
