import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { createKeyRing } from '../seal/key-ring.ts'
import { definitionIn, isSignedDefinition, pinnedDefinition, signDefinition } from './pinned-definition.ts'

const tool: JsonObject = {
  name: 'rollout',
  description: 'Rolls out.',
  inputSchema: { type: 'object', properties: { env: { type: 'string' } } },
  annotations: { destructiveHint: true },
}

describe('the pinned part of a definition', () => {
  test.each<[string, JsonObject]>([
    ['the name', { ...tool, name: 'rollout2' }],
    ['the input schema', { ...tool, inputSchema: { type: 'object' } }],
    ['the annotations', { ...tool, annotations: { destructiveHint: false } }],
    ['annotations that are missing', { name: 'rollout', inputSchema: tool.inputSchema ?? null }],
  ])('[PIN-6] another digest shows a change of %s', (_, changed) => {
    expect(pinnedDefinition(changed).digest).not.toBe(pinnedDefinition(tool).digest)
  })

  test('[PIN-10] the description has a digest of its own', () => {
    const [before, after] = [pinnedDefinition(tool), pinnedDefinition({ ...tool, description: 'Rolls back.' })]
    expect(after.digest).toBe(before.digest)
    expect(after.descriptionDigest).not.toBe(before.descriptionDigest)
    const { description: _none, ...without } = tool
    expect(pinnedDefinition(without).descriptionDigest).not.toBe(before.descriptionDigest)
  })

  test('[PIN-5] other members and the order of members change nothing', () => {
    const { name = '', ...rest } = tool
    expect(pinnedDefinition({ ...rest, _meta: { page: 1 }, outputSchema: {}, name })).toEqual(pinnedDefinition(tool))
    expect(definitionIn(pinnedDefinition(tool).text)).toEqual(tool)
  })

  test('[PIN-13] what is too large to be shown has digests and no text', () => {
    const large = pinnedDefinition({ ...tool, description: 'x'.repeat(200_000) })
    expect(large).toMatchObject({ digest: pinnedDefinition(tool).digest, text: '' })
    expect(() => pinnedDefinition({ ...tool, inputSchema: { title: '\ud800' } })).toThrow()
  })
})

test('[PIN-3] a stored text that is not an object is an empty definition, with other digests', () => {
  for (const text of ['[]', 'null', '"rollout"']) {
    expect(definitionIn(text)).toEqual({})
    expect(pinnedDefinition(definitionIn(text)).digest).not.toBe(pinnedDefinition(tool).digest)
  }
})

test('[PIN-3] the signature of an acceptance covers the tool, the definition and the person', () => {
  const ring = createKeyRing([{ id: 'a', secret: randomBytes(32) }])
  const accepted = { tenant: 't', server: 's', tool: 'rollout', ...pinnedDefinition(tool), acceptedBy: 'olga' }
  const signature = signDefinition(ring, accepted)

  expect(isSignedDefinition(ring, accepted, signature)).toBe(true)
  for (const name of ['tenant', 'server', 'tool', 'digest', 'descriptionDigest', 'text', 'acceptedBy'] as const)
    expect(isSignedDefinition(ring, { ...accepted, [name]: 'other' }, signature)).toBe(false)
  const other = createKeyRing([{ id: 'a', secret: randomBytes(32) }])
  expect(isSignedDefinition(other, accepted, signature)).toBe(false)
  for (const wrong of ['', 'v1', 'v1.b.x', `${signature}x`])
    expect(isSignedDefinition(ring, accepted, wrong)).toBe(false)
})
