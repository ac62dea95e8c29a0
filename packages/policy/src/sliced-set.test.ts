import { expect, test } from 'vitest'
import { loadCedar } from './cedar.ts'
import { compileShortForm, type ShortPolicy } from './short-form.ts'
import { SlicedSet } from './sliced-set.ts'

const policy = (name: string, targets: readonly string[], changes: Partial<ShortPolicy> = {}) =>
  compileShortForm(
    {
      name,
      kind: 'tools',
      targets,
      people: [],
      annotations: {},
      when: [],
      effect: 'allow',
      isDryRun: false,
      ...changes,
    },
    { groups: {} },
  )

const tool = (server: string, name: string) => ({ kind: 'tools', server, name }) as const

async function sliced(...policies: ReturnType<typeof policy>[]) {
  const set = SlicedSet.parse(await loadCedar(), policies)
  if (!(set instanceof SlicedSet)) throw new Error(set.join())
  return (target: Parameters<SlicedSet['sliceFor']>[0]) =>
    set.sliceFor(target).policies.map(({ annotations }) => annotations?.id)
}

test('[POLICY-19] only policies that could apply to a tool are evaluated', async () => {
  const idsFor = await sliced(
    policy('all', ['*']),
    policy('deploy', ['deploy/*']),
    policy('debug', ['*/debug_*', 'files/rm']),
    policy('literal', ['deploy/roll*out']),
    policy('harmless', ['*'], { annotations: { destructive: false } }),
    policy('people', ['*'], { people: ['group:x'], when: [{ path: ['a'], comparison: { is: 'flag', value: true } }] }),
    policy('prompts', ['*'], { kind: 'prompts' }),
  )
  expect(idsFor(tool('deploy', 'rollout'))).toEqual(['all', 'deploy', 'literal', 'people'])
  expect(idsFor(tool('files', 'rm'))).toEqual(['all', 'debug', 'people'])
  expect(idsFor(tool('files', 'debug_'))).toEqual(['all', 'debug', 'people'])
  expect(idsFor({ ...tool('files', 'rm'), annotations: { readOnlyHint: true } })).toContain('harmless')
  expect(idsFor({ kind: 'prompts', server: 'files', name: 'x' })).toEqual(['prompts'])
})

test('[POLICY-19] beyond the number of slices, the whole set is evaluated', async () => {
  const patterns = Array.from({ length: 12 }, (_, bit) => policy(`bit ${bit}`, [`*${'abcdefghijkl'[bit]}*`]))
  const idsFor = await sliced(...patterns)
  const sizes = Array.from({ length: 4_096 }, (_, number) => {
    const name = [...'abcdefghijkl'].filter((_part, bit) => (number >> bit) % 2 === 1).join('')
    return { ids: idsFor(tool('x', name)), name }
  })
  expect(sizes.slice(0, 2_000).every(({ ids, name }) => ids.length === name.length)).toBe(true)
  expect(sizes.slice(2_000).every(({ ids }) => ids.length === 12)).toBe(true)
})
