import type { JsonObject } from '@assent/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressee, checkServerNames, listOf, prefixed } from './names.ts'

const server = fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/)

test('[RELAY-9] whatever a server calls its things, the way back is exact', () => {
  fc.assert(
    fc.property(server, fc.string({ unit: 'binary' }), (name, thing) => {
      const [tool] = prefixed(name, 'tools/list', [{ name: thing }]) as JsonObject[]
      const [resource] = prefixed(name, 'resources/list', [{ uri: thing }]) as JsonObject[]

      checkServerNames([name])
      expect(addressee('tools/call', { ...tool })).toEqual({ server: name, params: { name: thing } })
      expect(addressee('resources/read', { ...resource })).toEqual({ server: name, params: { uri: thing } })
    }),
  )
})

test('[RELAY-9] completions are led back by what they refer to', () => {
  const argument = { name: 'city', value: 'B' }
  const ref = (about: JsonObject) => ({ ref: { type: 't', ...about }, argument })

  expect(addressee('completion/complete', ref({ name: 'ark__greet' }))).toEqual({
    server: 'ark',
    params: ref({ name: 'greet' }),
  })
  expect(addressee('completion/complete', ref({ uri: 'ark+file:///{a}' }))).toEqual({
    server: 'ark',
    params: ref({ uri: 'file:///{a}' }),
  })
  expect(addressee('completion/complete', { ref: 'ark__greet' })).toBeUndefined()
  expect(addressee('completion/complete', ref({}))).toBeUndefined()
})

test('[RELAY-9] what has no name, or a name without a server, leads nowhere', () => {
  expect(addressee('tools/call', {})).toBeUndefined()
  expect(addressee('tools/call', { name: 'plain' })).toBeUndefined()
  expect(addressee('tools/call', { name: '__plain' })).toBeUndefined()
  expect(addressee('tools/list', { name: 'ark__plain' })).toBeUndefined()
})

test('[RELAY-9] items keep what else they hold, and odd ones pass as they are', () => {
  const items = [{ name: 'a', title: 'A', _meta: { x: 1 } }, { title: 'nameless' }, 'odd', null]

  expect(prefixed('ark', 'prompts/list', items)).toEqual([
    { ...(items[0] as object), name: 'ark__a' },
    ...items.slice(1),
  ])
  expect(prefixed('ark', 'example/list', items)).toEqual(items)
  expect([listOf('resources/templates/list'), listOf('tools/call')]).toEqual(['resourceTemplates', undefined])
})
