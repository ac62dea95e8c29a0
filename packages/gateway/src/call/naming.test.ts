import type { JsonObject } from '@assent/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkServerNames, listOf } from './names.ts'
import { type NamedTarget, Naming, type NamingRules } from './naming.ts'

const server = fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/).filter((name) => name !== 'assent')
const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^(a|b|assent)(__|\+)[a-z_+]{0,80}$/),
  fc.stringMatching(/^[a-z]{50,90}$/),
)

function targetOf(naming: Naming, method: string, params: JsonObject): NamedTarget | undefined {
  const found = naming.find(method, params)
  return found !== undefined && 'params' in found ? found : undefined
}

const listed = (naming: Naming, name: string, method: string, items: JsonObject[]) =>
  naming.listed(name, method, items) as JsonObject[]

test('[RELAY-9] every name maps back to exactly the server’s name', () => {
  fc.assert(
    fc.property(server, fc.constantFrom(undefined, false, 'other'), anyName, (name, prefix, thing) => {
      fc.pre(name !== 'a' && name !== 'other')
      checkServerNames([name])
      const rules: NamingRules = prefix === undefined ? {} : { prefix: prefix as string | false }
      const naming = new Naming({ a: {}, [name]: rules })
      const [tool] = listed(naming, name, 'tools/list', [{ name: thing }])
      const [resource] = listed(naming, name, 'resources/list', [{ uri: thing }])

      expect(targetOf(naming, 'tools/call', { ...tool })).toMatchObject({ server: name, params: { name: thing } })
      expect(targetOf(naming, 'resources/read', { ...resource })).toMatchObject({
        server: name,
        params: { uri: thing },
      })
    }),
  )
})

test('[SERVER-3] names of two servers never collide', () => {
  fc.assert(
    fc.property(fc.array(anyName), fc.array(anyName), (ofA, ofB) => {
      const naming = new Naming({ a: { prefix: false }, b: {} })
      const names = (name: string, things: string[], method: string, field: string) =>
        listed(
          naming,
          name,
          method,
          [...new Set(things)].map((thing) => ({ [field]: thing })),
        ).map((item) => item[field])
      for (const [method, field] of [
        ['tools/list', 'name'],
        ['prompts/list', 'name'],
        ['resources/list', 'uri'],
      ] as const) {
        const all = [...names('a', ofA, method, field), ...names('b', ofB, method, field)]
        expect(new Set(all).size).toBe(all.length)
      }
    }),
  )
})

test('[RELAY-9] completions are routed by the prompt or resource that they refer to', () => {
  const naming = new Naming({ ark: {}, zoo: {} })
  const argument = { name: 'city', value: 'B' }
  const ref = (about: JsonObject) => ({ ref: { type: 't', ...about }, argument })

  expect(targetOf(naming, 'completion/complete', ref({ name: 'ark__greet' }))).toMatchObject({
    server: 'ark',
    params: ref({ name: 'greet' }),
  })
  expect(targetOf(naming, 'completion/complete', ref({ uri: 'ark+file:///{a}' }))).toMatchObject({
    server: 'ark',
    params: ref({ uri: 'file:///{a}' }),
  })
  expect(targetOf(naming, 'completion/complete', { ref: 'ark__greet' })).toBeUndefined()
  expect(targetOf(naming, 'completion/complete', ref({}))).toBeUndefined()
})

test('[RELAY-9] a request without a name, or with a name of no server, has no target', () => {
  const naming = new Naming({ ark: {}, zoo: {} })

  for (const name of ['plain', '__plain', 'nobody__plain', 'assent__plain'])
    expect(targetOf(naming, 'tools/call', { name })).toBeUndefined()
  expect(targetOf(naming, 'tools/call', {})).toBeUndefined()
  expect(targetOf(naming, 'tools/list', { name: 'ark__plain' })).toBeUndefined()
})

test('[RELAY-9] items keep their other members, and malformed items pass unchanged', () => {
  const naming = new Naming({ ark: {}, zoo: {} })
  const items = [{ name: 'a', title: 'A', _meta: { x: 1 } }, { title: 'nameless' }, 'odd', null]

  expect(naming.listed('ark', 'prompts/list', items)).toEqual([
    { ...(items[0] as object), name: 'ark__a' },
    ...items.slice(1),
  ])
  expect(naming.listed('ark', 'example/list', items)).toEqual(items)
  expect([listOf('resources/templates/list'), listOf('tools/call')]).toEqual(['resourceTemplates', undefined])
})

function withTools(rules: Partial<NonNullable<NamingRules['tools']>>): Naming {
  return new Naming({ only: { tools: { allow: ['*'], deny: [], rename: {}, ...rules } } })
}

test('[SERVER-2] a renamed tool has only its new name, and two tools may swap names', () => {
  const naming = withTools({ rename: { a: 'b', b: 'a', c: 'd' } })
  const own = (name: string) => targetOf(naming, 'tools/call', { name })?.params.name

  expect(listed(naming, 'only', 'tools/list', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toEqual([
    { name: 'b' },
    { name: 'a' },
    { name: 'd' },
  ])
  expect(['a', 'b', 'c', 'd'].map(own)).toEqual(['b', 'a', undefined, 'c'])
})

test('[SERVER-2] a tool whose name was given to another tool is omitted and reported once', () => {
  const reported: string[] = []
  const tools = { allow: ['*'], deny: [], rename: { a: 'b' } }
  const naming = new Naming({ only: { tools } }, (...conflict) => reported.push(conflict.join(' ')))

  for (let times = 0; times < 2; times++)
    expect(listed(naming, 'only', 'tools/list', [{ name: 'b' }, { name: 'a' }])).toEqual([{ name: 'b' }])
  expect(targetOf(naming, 'tools/call', { name: 'b' })?.params.name).toBe('a')
  expect(reported).toEqual(['only b taken'])
})

test('[SERVER-1] a tool that is denied by its original name stays denied after a rename', () => {
  const naming = withTools({ deny: ['drop_*'], rename: { drop_all: 'tidy' } })

  expect(listed(naming, 'only', 'tools/list', [{ name: 'drop_all' }, { name: 'read' }])).toEqual([{ name: 'read' }])
  expect(targetOf(naming, 'tools/call', { name: 'tidy' })).toBeUndefined()
  expect(targetOf(naming, 'tools/call', { name: 'drop_all' })).toBeUndefined()
  expect(targetOf(naming, 'prompts/get', { name: 'drop_all' })).toBeDefined()
})

test('[SERVER-3] an unprefixed name that starts with a server’s prefix gets its own prefix, and is reported', () => {
  const reported: string[] = []
  const naming = new Naming({ a: { prefix: false }, b: {} }, (...conflict) => reported.push(conflict.join(' ')))

  expect(
    listed(naming, 'a', 'tools/list', [{ name: 'read' }, { name: 'b__x' }, { name: 'a__x' }, { name: 'assent__x' }]),
  ).toEqual([{ name: 'read' }, { name: 'a__b__x' }, { name: 'a__a__x' }, { name: 'a__assent__x' }])
  expect(targetOf(naming, 'tools/call', { name: 'b__x' })).toMatchObject({ server: 'b', params: { name: 'x' } })
  expect(targetOf(naming, 'tools/call', { name: 'a__b__x' })).toMatchObject({ server: 'a', params: { name: 'b__x' } })
  // Only the listed name is valid.
  expect(targetOf(naming, 'tools/call', { name: 'a__read' })).toBeUndefined()
  expect(naming.nameFor('a', 'resource', 'file:///a')).toBe('file:///a')
  expect(naming.nameFor('a', 'resource', 'b+file:///a')).toBe('a+b+file:///a')
  expect(reported).toEqual(['a b__x looks-prefixed', 'a a__x looks-prefixed', 'a assent__x looks-prefixed'])
})

test('[SERVER-4] a short name is resolved once its server was listed, and is reported as unknown before', () => {
  const long = 'delete_everything_'.repeat(5)
  const [before, after] = [new Naming({ files: {}, b: {} }), new Naming({ files: {}, b: {} })]
  const [{ name = '' } = {}] = listed(before, 'files', 'tools/list', [{ name: long }]) as { name: string }[]

  expect(name).toHaveLength(64)
  expect(before.find('tools/call', { name })).toMatchObject({ server: 'files', name: long })
  expect(after.find('tools/call', { name })).toEqual({ server: 'files', isShort: true })
  listed(after, 'files', 'tools/list', [{ name: 'other' }])
  expect(after.find('tools/call', { name })).toEqual({ server: 'files', isShort: true })
  listed(after, 'files', 'tools/list', [{ name: long }])
  expect(after.find('tools/call', { name })).toMatchObject({ server: 'files', params: { name: long } })
})

test('[SERVER-4] a short name of a tool that is not offered has no target', () => {
  const long = 'delete_everything_'.repeat(5)
  const open = new Naming({ files: {}, b: {} })
  const [{ name = '' } = {}] = listed(open, 'files', 'tools/list', [{ name: long }]) as { name: string }[]
  const closed = new Naming({ files: { tools: { allow: ['*'], deny: ['delete_*'], rename: {} } }, b: {} })

  expect(listed(closed, 'files', 'tools/list', [{ name: long }])).toEqual([])
  expect(targetOf(closed, 'tools/call', { name })).toBeUndefined()
})
