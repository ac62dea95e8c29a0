import { expect, test } from 'vitest'
import { formLimits } from '../limits.ts'
import { readForm } from './read.ts'

const withField = (property: unknown) => ({ type: 'object', properties: { f: property } })

function firstProblem(schema: unknown) {
  const read = readForm(schema)
  return read.ok ? undefined : read.problems[0]
}

const manyFields = (count: number, property: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, property]))

test('[FORM-4] a form may be as large as the limits and no larger', () => {
  const fields = manyFields(formLimits.fields, { type: 'boolean' })
  const options = Array.from({ length: formLimits.options }, (_, index) => `o${index}`)

  expect(readForm({ type: 'object', properties: fields })).toMatchObject({ ok: true })
  expect(readForm(withField({ type: 'string', enum: options }))).toMatchObject({ ok: true })
  expect(firstProblem({ type: 'object', properties: { ...fields, more: { type: 'boolean' } } })).toMatchObject({
    path: '/properties',
    code: 'too_large',
  })
  expect(firstProblem(withField({ type: 'string', enum: [...options, 'more'] }))).toMatchObject({
    path: '/properties/f/enum',
    code: 'too_large',
  })
  expect(firstProblem(manyFields(5_000, 1))).toMatchObject({ path: '' })
})

test('[FORM-4] the total text of a form has a limit, including names, options and defaults', () => {
  const text = (description: string) => ({ type: 'string', description, default: 'x'.repeat(2_000) })
  const property = { type: 'array', items: { type: 'string', enum: ['x'.repeat(200), 'y'.repeat(200)] } }
  const enough = { ...manyFields(15, text('x'.repeat(2_048))), list: property }

  expect(readForm({ type: 'object', properties: enough })).toMatchObject({ ok: true })
  expect(readForm({ type: 'object', properties: { ...enough, ...manyFields(17, text('x'.repeat(2_048))) } })).toEqual({
    ok: false,
    problems: [{ path: '', code: 'too_large', reason: 'A form may hold 65536 characters of text in all.' }],
  })
})

test('[FORM-4] the number of reported problems is limited', () => {
  const everywhere = readForm({ type: 'object', properties: manyFields(60, { type: 'string', pattern: 'x' }) })
  const inOnePlace = readForm(withField({ type: 'string', enum: Array.from({ length: 200 }, () => 7) }))

  expect(everywhere.ok || everywhere.problems.length).toBe(formLimits.problems)
  expect(inOnePlace.ok || inOnePlace.problems.length).toBe(formLimits.problems)
})

test('[FORM-4] of 5,000 properties, 5,000 options or 100,000 levels, none beyond the limits is read', () => {
  let deep: unknown = {}
  for (let level = 0; level < 100_000; level++) deep = { type: 'object', properties: { deep } }
  const bombs = [
    { type: 'object', properties: manyFields(5_000, { type: 'string' }) },
    withField({ type: 'string', enum: Array.from({ length: 5_000 }, (_, index) => `o${index}`) }),
    deep,
  ]

  for (const bomb of bombs) {
    let reads = 0
    const counted = <Value>(value: Value): Value =>
      typeof value === 'object' && value !== null
        ? new Proxy(value, {
            get: (target, name) => {
              reads += 1
              return counted(Reflect.get(target, name))
            },
          })
        : value
    expect(readForm(counted(bomb)).ok).toBe(false)
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(20)
  }
})
