import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { isOf, omitsGroups, personIn, rolesIn } from './person.ts'

const issuer = 'https://issuer.example.com'
const rules = { issuer, subject_claim: 'sub', groups_claim: 'groups' }

describe('the person in a token', () => {
  test('[IDENT-2] the principal is the issuer plus the subject', () => {
    expect(personIn({ sub: 'ann' }, rules)).toEqual({ principal: `${issuer}#ann`, groups: [] })
  })

  test('[IDENT-2] the subject is the configured claim, and no other claim', () => {
    const byObjectId = { ...rules, subject_claim: 'oid' }

    expect(personIn({ sub: 'x', oid: 'ann' }, byObjectId)?.principal).toBe(`${issuer}#ann`)
    expect(personIn({ sub: 'ann' }, byObjectId)).toBeUndefined()
  })

  test.each([
    ['missing', {}],
    ['empty', { sub: '' }],
    ['a number', { sub: 7 as never }],
    ['a list', { sub: ['ann'] as never }],
    ['null', { sub: null as never }],
    ['with a line break', { sub: 'ann\nadmin' }],
    ['too long', { sub: 'a'.repeat(1_000) }],
  ])('[IDENT-4] a subject that is %s identifies no person', (_what, claims) => {
    expect(personIn(claims, rules)).toBeUndefined()
  })

  test('[IDENT-4] a member that every object inherits is not a claim', () => {
    expect(personIn({}, { ...rules, subject_claim: 'constructor' })).toBeUndefined()
    const inherited = Object.create({ sub: 'ann', groups: ['admin'] }) as JWTPayload
    expect(personIn(inherited, rules)).toBeUndefined()
    expect(personIn(Object.assign(inherited, { sub: 'ann' }), rules)?.groups).toEqual([])
  })
})

describe('the groups in a token', () => {
  test('[IDENT-2] the groups are the valid names in the configured claim', () => {
    const groups = ['ops', 7, '', 'a\nb', null, 'dev']

    expect(personIn({ sub: 'ann', groups }, rules)?.groups).toEqual(['ops', 'dev'])
  })

  test('[IDENT-2] a claim that is not a list names no group', () => {
    for (const groups of ['ops', { 0: 'ops', length: 1 }, null])
      expect(personIn({ sub: 'ann', groups }, rules)?.groups).toEqual([])
  })

  test('[IDENT-2] without a configured claim a person is in no group', () => {
    const { groups_claim: _none, ...without } = rules

    expect(personIn({ sub: 'ann', groups: ['ops'], undefined: ['ops'] }, without as typeof rules)?.groups).toEqual([])
  })
})

test.each([
  ['a reference to them', { _claim_names: { groups: 'src1' } }, true],
  ['a mark that there are some', { hasgroups: true }, true],
  ['the groups, and a reference', { groups: [], _claim_names: { groups: 'src1' } }, false],
  ['a reference to another claim', { _claim_names: { address: 'src1' } }, false],
  ['a reference that is inherited', { _claim_names: Object.create({ groups: 'src1' }) }, false],
  ['a text as reference', { _claim_names: 'groups' }, false],
  ['no groups and no reference', {}, false],
])('[IDENT-14] a token with %s: whether the issuer omitted the groups', (_what, claims, omitted) => {
  expect(omitsGroups({ sub: 'ann', ...claims }, rules)).toBe(omitted)
  const { groups_claim: _none, ...without } = rules
  expect(omitsGroups({ sub: 'ann', ...claims }, without as typeof rules)).toBe(false)
})

test('[IDENT-9] a person belongs to the issuer whose address comes before the first #', () => {
  expect(isOf(issuer, { principal: `${issuer}#ann`, groups: [] })).toBe(true)
  expect(isOf(issuer, { principal: `${issuer}.evil#ann`, groups: [] })).toBe(false)
  expect(isOf(issuer, { principal: `https://other.example.com#${issuer}#ann`, groups: [] })).toBe(false)
})

describe('the roles in a token', () => {
  test('[IDENT-2] roles come from the configured claim, or from a member of one', () => {
    expect(rolesIn({ roles: ['admin', 7, 'a\nb', ''] }, 'roles')).toEqual(['admin'])
    expect(rolesIn({ realm_access: { roles: ['admin'] } }, 'realm_access.roles')).toEqual(['admin'])
    const named = { 'https://example.com/roles': ['admin'] }
    expect(rolesIn(named, 'https://example.com/roles')).toEqual(['admin'])
  })

  test('[IDENT-2] without the claim, or with a value that is not a list, there are no roles', () => {
    expect(rolesIn({ roles: ['admin'] }, undefined)).toEqual([])
    for (const realm_access of [undefined, null, 'admin', ['admin'], { roles: 'admin' }, { roles: { 0: 'admin' } }])
      expect(rolesIn({ realm_access }, 'realm_access.roles')).toEqual([])
    expect(rolesIn({}, 'constructor.name')).toEqual([])
  })
})
