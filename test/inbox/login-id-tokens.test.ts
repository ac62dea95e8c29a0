import { UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { type Forge, newKey } from '../../test-kit/oidc/provider.ts'
import { me, signIn, startLoginEnv } from './login-env.ts'

describe('an invalid id token', () => {
  const seconds = () => Math.floor(Date.now() / 1_000)
  const forgeries: readonly [string, Forge][] = [
    ['with another nonce', (claims, sign) => sign({ ...claims, nonce: 'another' })],
    ['without a nonce', ({ nonce: _, ...claims }, sign) => sign(claims)],
    ['for another client', (claims, sign) => sign({ ...claims, aud: 'another' })],
    ['for the MCP endpoint', (claims, sign) => sign({ ...claims, aud: 'https://assent.example.com/mcp' })],
    [
      'for several clients, with another authorized party',
      (claims, sign) => sign({ ...claims, aud: ['assent-inbox', 'b'], azp: 'b' }),
    ],
    ['of another issuer', (claims, sign) => sign({ ...claims, iss: 'https://evil.example' })],
    ['of an issuer with an additional slash', (claims, sign) => sign({ ...claims, iss: `${claims.iss}/` })],
    ['that has expired', (claims, sign) => sign({ ...claims, exp: seconds() - 1 })],
    ['without an expiry', ({ exp: _, ...claims }, sign) => sign(claims)],
    ['not valid yet', (claims, sign) => sign({ ...claims, nbf: seconds() + 60 })],
    ['without a subject', ({ sub: _, ...claims }, sign) => sign(claims)],
    ['with an empty subject', (claims, sign) => sign({ ...claims, sub: '' })],
    ['whose subject contains a line break', (claims, sign) => sign({ ...claims, sub: 'ann\nadmin' })],
    ['whose subject is too long', (claims, sign) => sign({ ...claims, sub: 'a'.repeat(1_000) })],
    ['signed with an unknown key', (claims, sign) => sign(claims, {}, newKey())],
    ['that brings its own key', (claims, sign) => sign(claims, { jwk: newKey() }, newKey())],
    ['with an unknown key id', (claims, sign) => sign(claims, { kid: 'unknown' })],
    ['that is not signed', async (claims) => new UnsecuredJWT(claims).encode()],
    ['that is not a token', async () => 'nothing'],
    ['that is missing', async () => undefined as never],
  ]

  test.each(forgeries)('[LOGIN-3] an id token %s is refused', async (_what, forge) => {
    const { issuer, browser, errors, store } = await startLoginEnv()
    issuer.forge = forge
    const ann = browser()

    expect(await signIn(ann, 'ann')).toContain('/sign-in?problem=failed')

    expect(await me(ann)).toMatchObject({ status: 401 })
    expect(issuer.exchanges).toBe(1)
    // The issuer is at fault, so the operator gets a log entry.
    expect(errors).toHaveLength(1)
    expect(await store.sweep()).toMatchObject({ deleted: 0 })
  })

  test('[IDENT-14] an id token whose issuer omitted the groups is refused', async () => {
    const { issuer, browser, errors } = await startLoginEnv({ identity: { groups_claim: 'groups' } })
    issuer.forge = ({ groups: _, ...claims }, sign) => sign({ ...claims, _claim_names: { groups: 'src1' } })

    expect(await signIn(browser(), 'ann')).toContain('problem=failed')
    expect(String(errors[0])).toContain('too many')
  })

  test('[LOGIN-3] a valid signature with an algorithm that is not configured is refused', async () => {
    const { browser } = await startLoginEnv({ identity: { algorithms: ['RS256'] } })
    expect(await signIn(browser(), 'ann')).toContain('problem=failed')
  })
})
