import { expect, test } from 'vitest'
import { principalOf } from './principal.ts'

class Verified {
  readonly token: string
  readonly extra: object
  constructor(token: string, claims: object = {}) {
    this.token = token
    this.extra = Object.assign(Object.create({}), claims)
  }
}

const of = (authInfo: unknown) => principalOf({ authInfo }, undefined)
const ofHttp = (authInfo: unknown) => principalOf({ http: { authInfo } }, undefined)
const local = 'local'

test('[SDK-13] without a token every caller is the local person', () => {
  for (const context of [undefined, null, {}, { authInfo: undefined }, { http: {} }, { http: { authInfo: null } }])
    expect(principalOf(context, undefined)).toBe(local)
})

test.each([
  ['SDK 1.x', of],
  ['SDK 2.x', ofHttp],
])('[SDK-13] an instance of a class identifies its person like a plain object, on %s', (_, principal) => {
  const ann = { sub: 'ann', iss: 'https://id.example' }
  expect(principal(new Verified('t', ann))).toBe(principal({ token: 'other', extra: ann }))
  expect(principal(new Verified('t', ann))).not.toBe(principal(new Verified('t', { ...ann, sub: 'eve' })))
  expect(principal(new Verified('one'))).toBe(principal({ token: 'one' }))
  expect(new Set([principal(new Verified('one')), principal(new Verified('two')), local]).size).toBe(3)
})

test.each<[string, unknown]>([
  ['an empty object', {}],
  ['no token and no subject', { clientId: 'c', extra: {} }],
  ['an empty token', { token: '', extra: { sub: '' } }],
  ['a token that is not text', { token: 7 }],
  ['text', 'a token'],
])('[SDK-13] a token that identifies no one is an error: %s', (_, authInfo) => {
  const refusal = expect.objectContaining({
    code: 'misconfigured',
    message:
      'The `authInfo` of this call has neither a subject (`extra.sub`) nor a `token`. Pass one of them, or set `principal`, also of `httpHandler`.',
  })
  for (const principal of [of, ofHttp]) expect(() => principal(authInfo)).toThrow(refusal)
  expect(principalOf({ authInfo }, () => 'ann')).toBe('ann')
})
