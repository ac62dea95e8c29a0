import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { newKey } from '../../../../../test-kit/oidc/provider.ts'
import { until } from '../../../../../test-kit/until.ts'
import { identityLimits, setLimits } from '../../limits.ts'
import { aFakeIssuer, type FakeIssuer, publicOf } from './fake-issuer.suite.ts'
import { IssuerKeys, IssuerUnavailable } from './issuer-keys.ts'

const times = { freshMs: 1_000, keptMs: 5_000 }
const discovery = '/.well-known/openid-configuration'

/** The keys of an issuer, and the clock by which they age. */
function keysOf({ issuer }: Pick<FakeIssuer, 'issuer'>) {
  const clock = { nowMs: 1_000_000 }
  const errors: unknown[] = []
  const keys = new IssuerKeys(
    issuer,
    times,
    (error) => errors.push(error),
    () => clock.nowMs,
  )
  const find = async (kid: string | undefined, alg = 'ES256') =>
    keys.find({ alg, ...(kid === undefined ? {} : { kid }) }, { payload: '', signature: '' })
  return { keys, clock, errors, find }
}

function limited(changes: Partial<typeof identityLimits>): void {
  onTestFinished(setLimits(identityLimits, { waitMs: 60_000, fetchMs: 60_000, lookAgainMs: 100, ...changes }))
}

const fails = (error: unknown) => error as Error
const text =
  (body: string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(body)

describe('reading the keys', () => {
  test('[IDENT-6] the keys are read from the address in the metadata, and their number and age are known', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    issuer.documents['/keys'] = { keys: [publicOf(issuer.key), publicOf(newKey())] }
    const { keys, clock } = keysOf(issuer)
    expect([keys.areRead, keys.ageMs]).toEqual([false, undefined])

    expect(await keys.read()).toBe(2)

    clock.nowMs += 7
    expect([keys.areRead, keys.ageMs]).toEqual([true, 7])
    expect(keys.reads).toEqual({ ok: 1, failed: 0 })
    expect(issuer.requests.map(({ path }) => path)).toEqual([discovery, '/keys'])
    for (const { headers } of issuer.requests)
      expect(headers).toMatchObject({ accept: 'application/json', connection: 'close' })
  })

  test('[IDENT-6] the keys are read again on request, also while the cached ones are fresh', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    const { keys } = keysOf(issuer)
    await keys.read()

    await keys.read()

    expect(keys.reads).toEqual({ ok: 2, failed: 0 })
  })

  test('[IDENT-6] without a clock of its own, the age of the keys is measured by the monotonic clock', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    const keys = new IssuerKeys(issuer.issuer, times, () => undefined)
    await keys.read()

    expect(keys.ageMs).toBeGreaterThanOrEqual(0)
    expect(keys.ageMs).toBeLessThan(60_000)
  })

  test.each([
    ['OpenID Connect Discovery', '/tenant', `/tenant${discovery}`, 1],
    ['RFC 8414', '/tenant', '/.well-known/oauth-authorization-server/tenant', 2],
    ['OpenID Connect Discovery with the path at the end', '/tenant', `${discovery}/tenant`, 3],
    ['OpenID Connect Discovery, for an issuer that ends with a slash', '/tenant/', `/tenant${discovery}`, 1],
    ['RFC 8414, for an issuer that ends with a slash', '/tenant/', '/.well-known/oauth-authorization-server/tenant', 2],
  ])('[IDENT-6] the metadata is found where %s puts it', async (_what, path, place, attempts) => {
    limited({})
    const issuer = await aFakeIssuer(path)
    const { [`/tenant${discovery}`]: metadata, ...others } = issuer.documents
    issuer.documents = { ...others, [place]: metadata }

    expect(await keysOf(issuer).keys.read()).toBe(1)
    expect(issuer.requests).toHaveLength(attempts + 1)
    expect(issuer.requests.at(-2)?.path).toBe(place)
  })

  test('[IDENT-7] an issuer without a path is asked for its metadata once at each address', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    issuer.documents = {}

    await expect(keysOf(issuer).keys.read()).rejects.toThrow('HTTP status 404')

    const paths = issuer.requests.map(({ path }) => path)
    expect(paths).toEqual([discovery, '/.well-known/oauth-authorization-server'])
  })

  test('[IDENT-6] requests at the same time share one fetch of the keys', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    const { keys, find } = keysOf(issuer)

    await Promise.all([keys.read(), keys.read(), find(issuer.key.kid)])

    expect(issuer.requests).toHaveLength(2)
  })
})

describe('documents that are refused', () => {
  const redirect = (response: ServerResponse) => void response.writeHead(302, { location: '/elsewhere' }).end()
  const cases: readonly [string, (issuer: FakeIssuer) => Record<string, unknown>, string][] = [
    [
      'metadata of another issuer',
      ({ origin }) => ({ [discovery]: { issuer: `${origin}/`, jwks_uri: `${origin}/keys` } }),
      'Its metadata names another issuer.',
    ],
    [
      'metadata without an issuer',
      ({ origin }) => ({ [discovery]: { jwks_uri: `${origin}/keys` } }),
      'Its metadata names another issuer.',
    ],
    ['metadata without jwks_uri', ({ issuer }) => ({ [discovery]: { issuer } }), 'has no valid jwks_uri'],
    ['a jwks_uri that is a number', ({ issuer }) => ({ [discovery]: { issuer, jwks_uri: 7 } }), 'no valid jwks_uri'],
    [
      'a jwks_uri in a list',
      ({ issuer, origin }) => ({ [discovery]: { issuer, jwks_uri: [`${origin}/keys`] } }),
      'has no valid jwks_uri',
    ],
    ['a relative jwks_uri', ({ issuer }) => ({ [discovery]: { issuer, jwks_uri: '/keys' } }), 'has no valid jwks_uri'],
    [
      'keys that another machine serves without https',
      ({ issuer }) => ({ [discovery]: { issuer, jwks_uri: 'http://198.51.100.7/keys' } }),
      'It is not served over https.',
    ],
    ['keys with an error status', () => ({ '/keys': text('{"keys":[]}', 500) }), 'It answered with HTTP status 500.'],
    ['keys with status 201', () => ({ '/keys': text('{"keys":[]}', 201) }), 'It answered with HTTP status 201.'],
    ['keys that are not JSON', () => ({ '/keys': text('keys') }), 'JSON'],
    ['keys that are null', () => ({ '/keys': text('null') }), 'It did not return a JSON object.'],
    ['keys that are a text', () => ({ '/keys': text('"keys"') }), 'It did not return a JSON object.'],
    ['a document without keys', () => ({ '/keys': {} }), 'JSON Web Key Set malformed'],
    ['keys that are not a list', () => ({ '/keys': { keys: {} } }), 'JSON Web Key Set malformed'],
    [
      'a redirect to the keys',
      ({ key }) => ({ '/keys': redirect, '/elsewhere': { keys: [publicOf(key)] } }),
      'unexpected redirect',
    ],
    ['a document over the size limit', () => ({ '/keys': text(' '.repeat(1_001)) }), 'Its response is too large.'],
  ]

  test.each(cases)('[IDENT-7] %s: no key is accepted', async (_what, documents, reason) => {
    limited({ documentBytes: 1_000 })
    const issuer = await aFakeIssuer()
    Object.assign(issuer.documents, documents(issuer))
    const { keys, find } = keysOf(issuer)

    const error = await keys.read().catch(fails)

    expect(error).toBeInstanceOf(IssuerUnavailable)
    expect(error).toMatchObject({ name: 'IssuerUnavailable', cause: expect.any(Error) })
    expect((error as Error).message).toContain(`The keys of ${issuer.issuer} cannot be read. `)
    expect((error as Error).message).toContain(reason)
    expect([keys.areRead, keys.ageMs]).toEqual([false, undefined])
    expect(keys.reads).toEqual({ ok: 0, failed: 1 })
    await expect(find(issuer.key.kid)).rejects.toThrow(IssuerUnavailable)
  })

  test('[IDENT-7] a failed fetch is repeated with the next request', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    const { documents } = issuer
    issuer.documents = {}
    const { keys, find } = keysOf(issuer)
    await expect(find(issuer.key.kid)).rejects.toThrow(IssuerUnavailable)

    issuer.documents = documents

    expect(await find(issuer.key.kid)).toMatchObject({ type: 'public' })
    expect(keys.reads).toEqual({ ok: 1, failed: 1 })
  })

  test('[IDENT-7] a document of exactly the size limit is read', async () => {
    const issuer = await aFakeIssuer()
    const body = JSON.stringify(issuer.documents['/keys'])
    issuer.documents['/keys'] = text(body)
    limited({ documentBytes: body.length })

    expect(await keysOf(issuer).keys.read()).toBe(1)
  })
})

describe('an issuer that does not respond', () => {
  async function aSilentIssuer() {
    const issuer = await aFakeIssuer()
    const held: ServerResponse[] = []
    onTestFinished(() => {
      for (const response of held) response.destroy()
    })
    issuer.documents[discovery] = (response: ServerResponse) => void held.push(response)
    return issuer
  }

  test('[IDENT-7] a fetch of the keys ends after its timeout', async () => {
    limited({ fetchMs: 30 })
    const issuer = await aSilentIssuer()

    await expect(keysOf(issuer).keys.read()).rejects.toThrow(IssuerUnavailable)
  })

  test('[IDENT-7] [FLEET-12] a request waits only for a short time, and the next one only for the rest of it', async () => {
    limited({ waitMs: 60_000 })
    const issuer = await aSilentIssuer()
    const { keys, clock, find } = keysOf(issuer)
    keys.read().catch(() => undefined)
    const startedAt = performance.now()

    clock.nowMs += identityLimits.waitMs - 20
    const error = await find(issuer.key.kid).catch(fails)
    clock.nowMs += identityLimits.waitMs
    await expect(find(issuer.key.kid)).rejects.toThrow('has not responded yet')

    expect(error).toBeInstanceOf(IssuerUnavailable)
    expect((error as Error).message).toBe(`${issuer.issuer} has not responded yet.`)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    expect(issuer.requests).toHaveLength(1)
  })

  test('[IDENT-7] keys that are old, but still kept, are used without waiting', async () => {
    limited({ waitMs: 60_000 })
    const issuer = await aFakeIssuer()
    const { keys, clock, find } = keysOf(issuer)
    await keys.read()
    issuer.documents = (await aSilentIssuer()).documents

    clock.nowMs += times.freshMs + 1

    expect(await find(issuer.key.kid)).toMatchObject({ type: 'public' })
  })
})

describe('the age of the keys', () => {
  async function withKeys() {
    limited({ lookAgainMs: 100 })
    const issuer = await aFakeIssuer()
    const all = keysOf(issuer)
    await all.keys.read()
    return { issuer, ...all }
  }

  test('[IDENT-6] fresh keys are not fetched again; older ones once, in the background', async () => {
    const { issuer, keys, clock, find } = await withKeys()

    const fetching = vi.spyOn(globalThis, 'fetch')
    onTestFinished(() => void fetching.mockRestore())
    clock.nowMs += times.freshMs
    await find(issuer.key.kid)
    expect(fetching).not.toHaveBeenCalled()
    clock.nowMs += 1
    await Promise.all([find(issuer.key.kid), find(issuer.key.kid)])
    await until(() => (keys.reads.ok === 2 ? true : undefined))

    expect(keys.ageMs).toBe(0)
    expect(issuer.requests).toHaveLength(4)
  })

  test('[IDENT-6] a key that the issuer removed is refused after the next fetch', async () => {
    const { issuer, keys, clock, find } = await withKeys()
    const { kid } = issuer.key
    issuer.rotate()
    clock.nowMs += times.freshMs + 1
    await find(kid)
    await until(() => (keys.reads.ok === 2 ? true : undefined))

    await expect(find(kid)).rejects.toThrow('no applicable key found')
    expect(await find(issuer.key.kid)).toMatchObject({ type: 'public' })
  })

  test('[IDENT-7] while the issuer is unavailable, keys are used until they are too old, and each failure is reported', async () => {
    const { issuer, keys, clock, errors, find } = await withKeys()
    issuer.documents = {}

    clock.nowMs += times.freshMs + 1
    await find(issuer.key.kid)
    await until(() => (errors.length === 1 ? true : undefined))
    expect(errors[0]).toBeInstanceOf(IssuerUnavailable)
    clock.nowMs += identityLimits.lookAgainMs - 1
    await find(issuer.key.kid)
    expect(keys.reads.failed).toBe(1)
    clock.nowMs += 1
    await find(issuer.key.kid)
    await until(() => (errors.length === 2 ? true : undefined))

    clock.nowMs = 1_000_000 + times.keptMs
    expect(await find(issuer.key.kid)).toMatchObject({ type: 'public' })
    clock.nowMs += 1
    await expect(find(issuer.key.kid)).rejects.toThrow(IssuerUnavailable)
  })
})

describe('a key that is not cached', () => {
  async function afterRotation() {
    limited({ lookAgainMs: 100 })
    const issuer = await aFakeIssuer()
    const all = keysOf(issuer)
    await all.keys.read()
    issuer.rotate()
    return { issuer, ...all }
  }

  test('[IDENT-6] a new key of the issuer is fetched, but not directly after another fetch', async () => {
    const { issuer, clock, find } = await afterRotation()

    clock.nowMs += identityLimits.lookAgainMs - 1
    await expect(find(issuer.key.kid)).rejects.toThrow('no applicable key found')
    expect(issuer.requests).toHaveLength(2)
    clock.nowMs += 1
    expect(await find(issuer.key.kid)).toMatchObject({ type: 'public' })
    expect(issuer.requests).toHaveLength(4)
  })

  test('[IDENT-6] invented key ids cause one fetch per interval', async () => {
    const { issuer, clock, find } = await afterRotation()
    clock.nowMs += identityLimits.lookAgainMs

    for (let attempt = 0; attempt < 5; attempt++) await expect(find(`invented ${attempt}`)).rejects.toThrow()
    clock.nowMs += identityLimits.lookAgainMs
    await expect(find('invented')).rejects.toThrow()

    expect(issuer.requests).toHaveLength(6)
  })

  test('[IDENT-7] with a damaged key no token can be verified; after the interval the keys are fetched again', async () => {
    limited({})
    const issuer = await aFakeIssuer()
    const key = publicOf(issuer.key)
    issuer.documents['/keys'] = { keys: [{ ...key, x: 'AAAA' }] }
    const { clock, find, keys } = keysOf(issuer)
    const problem = async () => fails(await find(issuer.key.kid).catch((error: unknown) => error))

    expect(await problem()).toBeInstanceOf(IssuerUnavailable)
    expect((await problem()).message).toBe(`A key of ${issuer.issuer} cannot be used. Invalid keyData`)
    expect(keys.reads.ok).toBe(1)
    clock.nowMs += 100
    expect(await problem()).toBeInstanceOf(IssuerUnavailable)
    expect(keys.reads.ok).toBe(2)
    issuer.documents['/keys'] = { keys: [key] }
    clock.nowMs += 100
    await find(issuer.key.kid)
    expect(keys.reads.ok).toBe(3)
  })

  test('[IDENT-4] an algorithm with a shared secret is refused without a fetch', async () => {
    const { issuer, clock, find } = await afterRotation()
    clock.nowMs += identityLimits.lookAgainMs

    await expect(find(issuer.key.kid, 'HS256')).rejects.toThrow('Unsupported "alg" value')

    expect(issuer.requests).toHaveLength(2)
  })
})

test.each<[types: unknown, isRefused: boolean]>([
  [['pairwise'], true],
  [['pairwise', 'other'], true],
  [['pairwise', 'public'], false],
  [['public'], false],
  [[], false],
  ['pairwise', false],
  [undefined, false],
])('[IDENT-15] of an issuer with the subject types %j keys are refused: %s', async (types, isRefused) => {
  const issuer = await aFakeIssuer()
  const metadata = { issuer: issuer.issuer, jwks_uri: `${issuer.origin}/keys`, subject_types_supported: types }
  issuer.documents[discovery] = metadata
  const keysFor = (refusesPairwise: boolean) =>
    new IssuerKeys(issuer.issuer, { ...times, refusesPairwise }, () => undefined)

  expect(await keysFor(false).read()).toBe(1)
  const reading = keysFor(true).read()

  if (isRefused) await expect(reading).rejects.toThrow('Set identity.subject_claim to a claim that is the same')
  else expect(await reading).toBe(1)
})
