import { createKeyRing, pinnedDefinition } from '@assent/core'
import { expect } from 'vitest'
import { anId } from './drafts.suite.ts'
import { onEachEngine } from './engines.suite.ts'

const tool = { tenant: 'acme', server: 'deploy', tool: 'rollout' }
const definition = (property: string, description = 'Rolls out.') =>
  pinnedDefinition({
    name: 'rollout',
    description,
    inputSchema: { type: 'object', properties: { [property]: { type: 'string' } } },
  })
const [first, second] = [definition('env'), definition('region')]

onEachEngine(
  '[PIN-1] the first definition of a tool is pinned once, also by two replicas at once',
  async ({ open }) => {
    const stores = [await open(), await open()]

    const pinned = await Promise.all(
      stores.flatMap(({ definitions }) => [definitions.pin(tool, first), definitions.pin(tool, second)]),
    )

    expect(pinned.filter((isDone) => isDone)).toHaveLength(1)
    const stored = await stores[0]?.definitions.of(tool)
    expect(stored).toMatchObject([{ isFirst: true, isAccepted: true }])
    expect(await stores[1]?.definitions.of(tool)).toEqual(stored)
    expect(await stores[0]?.definitions.of({ ...tool, tenant: 'other' })).toEqual([])
  },
)

onEachEngine('[PIN-2] a changed definition is stored once and counts after it was accepted', async ({ open }) => {
  const { definitions, audit } = await open()
  await definitions.pin(tool, first)

  expect(await definitions.addChanged(tool, second)).toBe(true)
  expect(await definitions.addChanged(tool, second)).toBe(false)
  expect(await definitions.of(tool)).toMatchObject([{ isAccepted: true }, { isFirst: false, isAccepted: false }])
  expect(await definitions.accept(tool, second, 'olga', 'ask')).toBe(true)
  expect(await definitions.accept(tool, second, 'zoe', 'ask')).toBe(false)

  const stored = await definitions.of(tool)
  expect(stored).toMatchObject([
    { digest: first.digest, isAccepted: true },
    { digest: second.digest, text: second.text, isAccepted: true },
  ])
  const entries: { kind: string; body: unknown }[] = []
  for await (const { kind, body } of audit.entries('acme')) entries.push({ kind, body: JSON.parse(body) })
  expect(entries).toMatchObject([
    { kind: 'definition.pinned', body: { server: 'deploy', tool: 'rollout', digest: first.digest } },
    { kind: 'definition.changed', body: { digest: second.digest } },
    { kind: 'definition.accepted', body: { digest: second.digest, by: 'olga', askId: 'ask' } },
  ])
  expect(await audit.verify('acme')).toMatchObject({ ok: true })
})

onEachEngine('[PIN-2] one ask is noted for a definition, also by two replicas at once', async ({ open }) => {
  const stores = [await open(), await open()]
  await stores[0]?.definitions.pin(tool, first)
  await stores[0]?.definitions.addChanged(tool, second)
  const ids = [anId('ask'), anId('ask')]

  const noted = await Promise.all(
    stores.map(({ definitions }, index) => definitions.setAsk(tool, second, ids[index] ?? '')),
  )

  expect(noted.filter((isDone) => isDone)).toHaveLength(1)
  const askId = ids[noted.indexOf(true)]
  expect((await stores[1]?.definitions.of(tool))?.[1]).toMatchObject({ askId })
  expect(await stores[1]?.definitions.setAsk(tool, { ...second, askId: 'another' }, anId('ask'))).toBe(false)
  expect(
    await stores[1]?.definitions.setAsk(tool, { ...second, ...(askId === undefined ? {} : { askId }) }, anId('ask')),
  ).toBe(true)
})

onEachEngine(
  '[PIN-3] a definition that was marked as accepted in the database does not count',
  async ({ open, tamper }) => {
    const { definitions } = await open()
    await definitions.pin(tool, first)
    await definitions.addChanged(tool, second)
    const isAccepted = async () => (await definitions.of(tool)).map((one) => one.isAccepted)

    await tamper(`update tool_definitions set accepted_at = 1, accepted_by = 'olga' where is_first = 0`)
    expect(await isAccepted()).toEqual([true, false])
    await tamper(`update tool_definitions set signature =
    (select f.signature from tool_definitions f where f.is_first = 1) where is_first = 0`)
    expect(await isAccepted()).toEqual([true, false])
    await tamper(`update tool_definitions set accepted_by = '' where is_first = 0`)
    expect(await isAccepted()).toEqual([true, false])
    await tamper(`update tool_definitions set digest = 'sha256:0' where is_first = 1`)
    expect(await isAccepted()).toEqual([false, false])
  },
)

onEachEngine('[PIN-4] beyond the limit a changed definition replaces the oldest that waits', async ({ open }) => {
  const { definitions, record } = await open()
  await definitions.pin(tool, first)
  await definitions.addChanged(tool, second)
  await definitions.accept(tool, second, 'olga', 'ask')
  for (let change = 0; change < 20; change++)
    expect(await definitions.addChanged(tool, definition(`p${change}`))).toBe(true)
  const [, , oldest] = await definitions.of(tool)
  await definitions.setAsk(tool, oldest ?? first, anId('ask'))

  expect(await definitions.addChanged(tool, definition('p20'))).toBe(true)
  expect(await definitions.addChanged(tool, definition('p20'))).toBe(false)

  const stored = await definitions.of(tool)
  expect(stored).toHaveLength(22)
  expect(stored.some(({ digest }) => digest === oldest?.digest)).toBe(false)
  const newest = stored.find(({ digest }) => digest === definition('p20').digest)
  expect(newest).toMatchObject({ isAccepted: false, isFirst: false, text: definition('p20').text })
  expect(newest?.askId).toBeUndefined()
  expect(stored.filter(({ isAccepted }) => isAccepted).map(({ digest }) => digest)).toEqual([
    first.digest,
    second.digest,
  ])
  expect(await definitions.accept(tool, oldest ?? first, 'olga', 'ask')).toBe(false)
  expect(await definitions.accept(tool, definition('p20'), 'olga', 'ask')).toBe(true)
  expect(await record.verify('acme')).toMatchObject({ ok: true })
})

onEachEngine('[PIN-16] an accepted definition stays accepted when keys change', async ({ open }) => {
  const key = (id: string) => ({ id, secret: new Uint8Array(32).fill(id.length) })
  const [older, newer] = [key('older'), key('new')]
  const before = await open({ keys: createKeyRing([older]) })
  await before.definitions.pin(tool, first)

  const changing = await open({ keys: createKeyRing([newer, older]) })
  expect(await changing.definitions.of(tool)).toMatchObject([{ isAccepted: true }])
  const after = await open({ keys: createKeyRing([newer]) })
  expect(await after.definitions.of(tool)).toMatchObject([{ isAccepted: true }])
})

onEachEngine('[PIN-16] a definition whose signature no key verifies can be accepted again', async ({ open }) => {
  const before = await open({ keys: createKeyRing([{ id: 'lost', secret: new Uint8Array(32).fill(1) }]) })
  await before.definitions.pin(tool, first)
  const { definitions } = await open()
  const [stored] = await definitions.of(tool)
  if (stored === undefined) throw new Error('The definition is stored.')
  expect(stored.isAccepted).toBe(false)

  expect(await definitions.accept(tool, { ...stored, unverified: 'another' }, 'olga', 'ask')).toBe(false)
  expect(await definitions.setAsk(tool, stored, anId('ask'))).toBe(true)
  expect(await definitions.accept(tool, stored, 'olga', 'ask')).toBe(true)
  expect(await definitions.of(tool)).toMatchObject([{ isAccepted: true }])
})

onEachEngine('[AUDIT-6] audit verify compares the definitions of tools with the log', async ({ open, tamper }) => {
  const { definitions, record } = await open()
  await definitions.pin(tool, first)
  await definitions.addChanged(tool, second)
  const third = definition('zone')
  await definitions.addChanged(tool, third)
  await definitions.accept(tool, third, 'olga', 'ask')
  expect(await record.verify('acme')).toMatchObject({ ok: true })
  await tamper('create table kept as select * from tool_definitions')

  for (const sql of [
    `update tool_definitions set accepted_at = 5, accepted_by = 'mallory' where accepted_at is null`,
    `update tool_definitions set accepted_by = 'mallory' where accepted_by = 'olga'`,
    `update tool_definitions set accepted_at = null, accepted_by = null where accepted_by = 'olga'`,
    `update tool_definitions set digest = 'sha256:00' where is_first = 1`,
    'update tool_definitions set is_first = 0',
    'update tool_definitions set log_counter = log_counter + 1',
    `update tool_definitions set server = 'other'`,
    `update tool_definitions set tool = 'other'`,
    `update tool_definitions set definition = replace(definition, 'zone', 'gone') where accepted_by = 'olga'`,
    // The text of one that is not accepted, which a person would be shown.
    `update tool_definitions set definition = '{}' where accepted_at is null`,
    `update tool_definitions set definition = 'x' where accepted_at is null`,
    `update tool_definitions set definition = '' where accepted_by = 'olga'`,
    `update tool_definitions set signature = null where accepted_by = 'olga'`,
    'delete from tool_definitions where is_first = 1',
  ]) {
    await tamper(sql)
    expect([sql, await record.verify('acme')]).toMatchObject([
      sql,
      {
        ok: false,
        problems: expect.arrayContaining([expect.objectContaining({ subject: expect.stringMatching(/^definition_/) })]),
      },
    ])
    await tamper('delete from tool_definitions')
    await tamper('insert into tool_definitions select * from kept')
    expect(await record.verify('acme')).toMatchObject({ ok: true })
  }
})
