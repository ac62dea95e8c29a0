import { randomBytes } from 'node:crypto'
import { type Approver, AssentError, newId, type Person, pinnedDefinition, soleApprover } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { openTestStore } from '../../../../../test-kit/store/open.ts'
import { PinnedDefinitions } from './pinned-definitions.ts'

const name = { tenant: 'default', server: 'deploy', tool: 'rollout' }
const cleo: Person = { principal: 'cleo', groups: [] }
const [first, changed, harmless] = ['env', 'anything', 'harmless'].map((property) =>
  pinnedDefinition({ name: 'rollout', inputSchema: { type: 'object', properties: { [property]: {} } } }),
) as [ReturnType<typeof pinnedDefinition>, ReturnType<typeof pinnedDefinition>, ReturnType<typeof pinnedDefinition>]

async function pins(limits = { perCaller: 1, perServer: 100, perTenant: 1_000, total: 1_000 }) {
  const { store, close } = await openTestStore()
  closeAfterTest(close)
  const reports: string[] = []
  const definitions = new PinnedDefinitions({
    store,
    hasInbox: () => true,
    announces: () => false,
    limits: () => limits,
    onChanged: (_server, _tool, change) => void reports.push(change),
  })
  const isChanged = (pinned: typeof first, ...owners: readonly Approver[]) =>
    definitions.isChanged(name, pinned, { owners, pinsDescriptions: false })
  await isChanged(first, 'person:cleo')
  const asked = async () => {
    const id = (await store.definitions.of(name)).find(({ digest }) => digest === changed.digest)?.askId ?? ''
    return store.asks.read(name.tenant, id)
  }
  const accept = async () => {
    const ask = await asked()
    if (ask?.question.kind !== 'approval') throw new Error('Owners were not asked.')
    const answer = { action: 'accept', digest: ask.question.digest }
    return store.asks.answer({ tenant: name.tenant, id: ask.id, person: cleo, via: 'inbox', answer })
  }
  return { store, definitions, isChanged, asked, accept, reports }
}

test('[PIN-7] what an owner accepted counts', async () => {
  const { isChanged, accept } = await pins()
  expect(await isChanged(changed, 'person:cleo')).toBe(true)

  expect(await accept()).toMatchObject({ kind: 'settled' })

  expect(await isChanged(changed, 'person:cleo')).toBe(false)
})

test('[PIN-17] after a change of owners the earlier ones cannot accept, and the new ones are asked', async () => {
  const { store, isChanged, asked } = await pins()
  await isChanged(changed, 'person:cleo')
  const before = await asked()

  expect(await isChanged(changed, 'group:platform')).toBe(true)

  const after = await asked()
  expect(after).toMatchObject({ approvalRule: { approvers: ['group:platform'] }, state: { kind: 'open' } })
  expect(after?.id).not.toBe(before?.id)
  expect(await store.asks.read(name.tenant, before?.id ?? '')).toMatchObject({ state: { kind: 'withdrawn' } })
})

test('[PIN-17] what an earlier owner accepted does not count after the owners changed', async () => {
  for (const owners of [['group:platform'], []] as const) {
    const { isChanged, accept } = await pins()
    await isChanged(changed, 'person:cleo')
    await accept()

    expect(await isChanged(changed, ...owners)).toBe(true)
  }
})

test('[PIN-3] owners are not shown a text that is not the definition of its digests', async () => {
  const { store, isChanged, asked, reports } = await pins()
  await isChanged(changed)
  const of = store.definitions.of.bind(store.definitions)
  vi.spyOn(store.definitions, 'of').mockImplementation(async (tool) =>
    (await of(tool)).map((one) => (one.isAccepted ? one : { ...one, text: harmless.text })),
  )

  expect(await isChanged(changed, 'person:cleo')).toBe(true)
  expect(await asked()).toBeUndefined()
  expect(reports).toContain('not-shown')
})

const definitionOf = (property: string) =>
  pinnedDefinition({ name: 'rollout', inputSchema: { type: 'object', properties: { [property]: {} } } })

test('[PIN-18] beyond the limits on open asks owners are not asked; a later call asks them', async () => {
  const { store, isChanged, asked, reports } = await pins({
    perCaller: 1,
    perServer: 1,
    perTenant: 1_000,
    total: 1_000,
  })
  await isChanged(harmless, 'person:cleo')
  const other = (await store.definitions.of(name)).find(({ digest }) => digest === harmless.digest)?.askId ?? ''

  expect(await isChanged(changed, 'person:cleo')).toBe(true)
  expect(await asked()).toBeUndefined()
  expect(reports).toEqual(['asked', 'too-many-open'])

  await store.asks.withdraw(name.tenant, other, 'asker-stopped')
  expect(await isChanged(changed, 'person:cleo')).toBe(true)
  expect(await asked()).toMatchObject({ state: { kind: 'open' } })
})

test('[PIN-18] asks about one server do not use up the room of another', async () => {
  const { store, isChanged, asked } = await pins()
  await isChanged(harmless, 'person:cleo')
  await isChanged(changed, 'person:cleo')
  expect(await asked()).toMatchObject({ state: { kind: 'open' } })
  expect(await store.definitions.of(name)).toHaveLength(3)
})

test('[PIN-4] the ask about a definition that was replaced is withdrawn, and the new one can be accepted', async () => {
  const { store, isChanged, asked, accept } = await pins()
  const oldest = definitionOf('p0')
  for (let change = 0; change < 20; change++) await isChanged(definitionOf(`p${change}`), 'person:cleo')
  const before = (await store.definitions.of(name)).find(({ digest }) => digest === oldest.digest)?.askId ?? ''

  expect(await isChanged(changed, 'person:cleo')).toBe(true)

  expect(await store.asks.read(name.tenant, before)).toMatchObject({ state: { kind: 'withdrawn' } })
  expect(await asked()).toMatchObject({ state: { kind: 'open' } })
  await accept()
  expect(await isChanged(changed, 'person:cleo')).toBe(false)
  expect(await isChanged(oldest, 'person:cleo')).toBe(true)
})

test('[PIN-18] an error of the store is not taken for a limit: the call fails', async () => {
  const { store, isChanged, reports } = await pins()
  vi.spyOn(store.asks, 'raise').mockRejectedValueOnce(new AssentError('store_unavailable', 'not now'))

  await expect(isChanged(changed, 'person:cleo')).rejects.toThrow('not now')
  expect(reports).toEqual([])
})

test('[PIN-1] of two replicas at the first call one pins, and for the other a different definition is a change', async () => {
  const { store, isChanged, reports } = await pins()
  // This replica read the definitions before the other one pinned the first.
  vi.spyOn(store.definitions, 'of').mockResolvedValueOnce([])

  expect(await isChanged(changed, 'person:cleo')).toBe(true)
  expect(reports).toEqual(['asked'])
  expect((await store.definitions.of(name)).filter(({ isAccepted }) => isAccepted)).toMatchObject([
    { digest: first.digest },
  ])
})

test('[PIN-7] of two replicas that find a change at the same moment one asks the owners', async () => {
  const { store, isChanged, asked } = await pins()
  await isChanged(changed, 'person:cleo')
  const before = await asked()
  const raise = vi.spyOn(store.asks, 'raise')
  const of = store.definitions.of.bind(store.definitions)
  // This replica read the definition before the other one noted its ask.
  vi.spyOn(store.definitions, 'of').mockImplementationOnce(async (tool) =>
    (await of(tool)).map(({ askId: _, ...one }) => one),
  )

  expect(await isChanged(changed, 'person:cleo')).toBe(true)
  expect(raise).not.toHaveBeenCalled()
  expect((await asked())?.id).toBe(before?.id)
})

const ofSize = (chars: number, character: string) =>
  pinnedDefinition({ name: 'rollout', inputSchema: { type: 'object', title: character.repeat(chars) } })

test('[PIN-13] definitions that are too large to be shown together are not asked about', async () => {
  const { store, definitions, reports } = await pins()
  const raise = vi.spyOn(store.asks, 'raise')
  const rules = { owners: ['person:cleo'] as const, pinsDescriptions: false }
  const other = { ...name, tool: 'large' }
  const [one, two] = [ofSize(130_980, 'a'), ofSize(130_980, 'b')]
  expect(one.text).not.toBe('')
  expect(await definitions.isChanged(other, one, rules)).toBe(false)

  expect(await definitions.isChanged(other, two, rules)).toBe(true)
  expect(reports).toEqual(['not-shown'])
  expect(raise).not.toHaveBeenCalled()
})

test('[PIN-13] owners see a changed definition alone if the accepted one is too large to be shown', async () => {
  const { store, definitions } = await pins()
  const raise = vi.spyOn(store.asks, 'raise')
  const rules = { owners: ['person:cleo'] as const, pinsDescriptions: false }
  const other = { ...name, tool: 'large' }
  await definitions.isChanged(other, ofSize(200_000, 'a'), rules)

  expect(await definitions.isChanged(other, changed, rules)).toBe(true)
  const shown = { new: expect.objectContaining({ name: 'rollout' }) }
  expect(raise.mock.calls.map(([{ question }]) => question)).toMatchObject([{ action: { arguments: shown } }])
  const [[draft] = []] = raise.mock.calls
  expect(draft?.question).not.toHaveProperty('action.arguments.accepted')
})

test('[PIN-13] a change of a tool whose name cannot be shown is not asked about', async () => {
  const { store, definitions, reports } = await pins()
  const raise = vi.spyOn(store.asks, 'raise')
  const rules = { owners: ['person:cleo'] as const, pinsDescriptions: false }
  const other = { ...name, tool: 'x'.repeat(2_000) }
  await definitions.isChanged(other, first, rules)

  expect(await definitions.isChanged(other, changed, rules)).toBe(true)
  expect(reports).toEqual(['not-shown'])
  expect(raise).not.toHaveBeenCalled()
})

test('[PIN-17] what was accepted in an ask that is not for the owners does not count', async () => {
  const { store, isChanged, asked, accept } = await pins()
  await isChanged(changed, 'person:cleo')
  const before = await asked()
  if (before === undefined) throw new Error('Owners were not asked.')
  const { tenant, asker, question } = before
  const id = newId('ask', store.nowMs(), randomBytes)
  const rest = { decideWithinMs: 60_000, useWithinMs: 60_000, approvalRule: soleApprover('cleo') }
  const most = { perCaller: 100, perServer: 100, perTenant: 100, total: 100 }
  await store.asks.raise({ tenant, id, asker, principal: 'assent', question, ...rest }, most)
  const row = (await store.definitions.of(name)).find(({ digest }) => digest === changed.digest)
  expect(row !== undefined && (await store.definitions.setAsk(name, row, id))).toBe(true)
  expect(await accept()).toMatchObject({ kind: 'settled' })

  expect(await isChanged(changed, 'person:cleo')).toBe(true)
})
