import { expect, test } from 'vitest'
import { configOf } from '../config/read-config.suite.ts'
import { aFakeIssuer } from '../http/identity/fake-issuer.suite.ts'
import { IssuerInForce } from './issuer-in-force.ts'

const log = { exception: () => undefined, info: () => undefined, warn: () => undefined }

async function aPairwiseIssuer() {
  const fake = await aFakeIssuer()
  const metadata = { issuer: fake.issuer, jwks_uri: `${fake.origin}/keys`, subject_types_supported: ['pairwise'] }
  fake.documents['/.well-known/openid-configuration'] = metadata
  const configWith = (more = '') =>
    configOf(`identity: { issuer: "${fake.issuer}", audience: "https://assent.example.com/mcp"${more} }
servers: { a: { command: a } }`)
  return { configWith }
}

test('[IDENT-15] pairwise subjects: no token is accepted while policies exclude the requester', async () => {
  const { configWith } = await aPairwiseIssuer()
  const config = configWith()

  await expect(new IssuerInForce(config, log, true).keys?.read()).rejects.toThrow('subject_types_supported')
  expect(await new IssuerInForce(config, log, false).keys?.read()).toBe(1)
  expect(await new IssuerInForce(configWith(', subject_claim: oid'), log, true).keys?.read()).toBe(1)
})

test('[IDENT-15] pairwise subjects: a reload with the first policy that excludes the requester is refused', async () => {
  const { configWith } = await aPairwiseIssuer()
  const [before, after] = [configWith(), configWith(', subject_claim: oid')]
  const issuer = new IssuerInForce(before, log, false)
  await issuer.begin()

  await expect(issuer.prepare(before, before, true)).rejects.toThrow('subject_types_supported')
  expect(await issuer.prepare(before, before, false)).toBe(issuer.keys)
  const keys = await issuer.prepare(before, after, true)
  issuer.use(after.identity, keys, true)
  expect(issuer.areKeysRead).toBe(true)
  await expect(issuer.prepare(after, before, true)).rejects.toThrow('subject_types_supported')
})
