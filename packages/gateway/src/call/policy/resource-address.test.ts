import { expect, test } from 'vitest'
import { callOf } from '../route/sample-rounds.suite.ts'
import { hasOtherSpelling, spellingsOf } from './resource-address.ts'
import { aGate, type PolicyChanges, ran, refusedText } from './sample-gate.suite.ts'

const project: PolicyChanges = { name: 'project', kind: 'resources', targets: ['file:///project/*'], effect: 'allow' }
const prompts: PolicyChanges = { name: 'prompts', kind: 'prompts', targets: ['ops/review'], effect: 'allow' }

test.each([
  'file:///project/plan.md',
  'file:///C:/My Documents/a',
  'file:///project/%C3%A4',
  'file:///{+path}',
  'notes://Alice/1',
  's3://Bucket/x',
  'urn:isbn:1',
  'https://example.com:8443/a?x=../y#..',
  'https://ann:secret@example.com/',
  'test://static/ä',
])('[POLICY-68] the address %j has one spelling', (address) => {
  expect(hasOtherSpelling(address)).toBe(false)
})

test.each([
  'FILE:///project/a',
  'file:///project/../etc/passwd',
  'file:///project/./a',
  'file:///project/%2e%2E/etc/passwd',
  'file:///project/..%2Fetc',
  'file:///project/..%5cetc',
  'file:///project/%252e%252e/etc',
  'file:///project\\..\\etc',
  'file:///%70roject/a',
  'file:///project//a',
  'file:////project/a',
  'file:///project/a?x',
  'file:///project/a#x',
  'file://localhost/project/a',
  'file:/project/a',
  'fi\tle:///project/a',
  ' file:///project/a',
  'notes://a/..',
  'https://EXAMPLE.com/a',
  'https://example.com:443/a',
  'https://127.1/a',
  'https:example.com/a',
  'file:///C|/secret',
  'https://[/',
  '..',
])('[POLICY-68] the address %j has another, simpler spelling', (address) => {
  expect(hasOtherSpelling(address)).toBe(true)
})

test.each(['resources/read', 'resources/subscribe', 'completion/complete'])(
  '[POLICY-68] %s of a resource whose address has a simpler spelling is refused, if policies are about resources',
  async (method) => {
    const { gated, server, reload } = await aGate([project])
    const asked = (uri: string) =>
      callOf({ method, params: method === 'completion/complete' ? { ref: { uri } } : { uri } })

    expect(await gated.start(asked('file:///project/plan.md'))).toEqual(ran)
    expect(refusedText(await gated.start(asked('file:///project/../etc/passwd')))).toContain('in a simpler way')
    expect(server.runs()).toBe(1)
    await reload(prompts)
    expect(await gated.start(asked('file:///project/../etc/passwd'))).toEqual(ran)
  },
)

test('[POLICY-69] a completion whose reference could be read as a prompt or a resource needs both to be allowed', async () => {
  const { gated, server, reload } = await aGate([project, prompts])
  const complete = (ref: Record<string, string>) =>
    gated.start(callOf({ method: 'completion/complete', params: { ref } }))
  const [allowed, denied] = ['file:///project/a', 'file:///etc/passwd']

  expect(await complete({ name: 'review' })).toEqual(ran)
  expect(await complete({ uri: allowed })).toEqual(ran)
  expect(await complete({ name: 'review', uri: allowed })).toEqual(ran)
  expect(refusedText(await complete({ name: 'admin', uri: allowed }))).toContain('No policy permits')
  expect(refusedText(await complete({ name: 'review', uri: denied }))).toContain('No policy permits')
  await reload(prompts)
  expect(refusedText(await complete({ name: 'admin', uri: allowed }))).toContain('No policy permits')
  expect(refusedText(await complete({}))).toContain('no valid name')
  expect(server.runs()).toBe(3)
})

const secret = (target: string): PolicyChanges => ({ name: 'no', kind: 'resources', targets: [target], effect: 'deny' })
const all: PolicyChanges = { name: 'all', kind: 'resources', targets: ['*'], effect: 'allow' }

test.each([
  ['file:///srv/@secret/*', 'file:///srv/%40secret/x'],
  ['file:///srv/%40secret/*', 'file:///srv/@secret/x'],
  ['file:///C:/secret/*', 'file:///C%3A/secret/x'],
  ['file:///C:/secret/*', 'file:///c:/secret/x'],
  ['file:///srv/my secret/*', 'file:///srv/my%20secret/x'],
  ['file:///srv/my%20secret/*', 'file:///srv/my secret/x'],
  ['file:///srv/privé/*', 'file:///srv/priv%c3%a9/x'],
  ['file:///srv/priv%C3%A9/*', 'file:///srv/privé/x'],
  ['file:///srv/(a)/*', 'file:///srv/%28a%29/x'],
  ['file:///srv/%28a%29/*', 'file:///srv/(a)/x'],
  ['notes://a+b/*', 'notes://a%2Bb/x'],
  ['notes://team/a:b', 'notes://team/a%3Ab'],
])('[POLICY-68] a policy that denies %j covers %j', async (target, address) => {
  const { gated, server } = await aGate([all, secret(target)])

  expect(refusedText(await gated.start(callOf({ method: 'resources/read', params: { uri: address } })))).toContain(
    '"no"',
  )
  expect(server.runs()).toBe(0)
})

test('[POLICY-68] what every spelling is allowed runs with the address as it was written', async () => {
  const { gated, server } = await aGate([all, secret('file:///other/*')])

  expect(await gated.start(callOf({ method: 'resources/read', params: { uri: 'file:///srv/%40a/x' } }))).toEqual(ran)
  expect(server.calls.at(-1)?.params).toEqual({ uri: 'file:///srv/%40a/x' })
})

test('[POLICY-68] an allowed address with escapes runs although no policy permits its other spellings', async () => {
  const { gated } = await aGate([{ ...project, targets: ['file:///my%20project/*'] }])

  expect(await gated.start(callOf({ method: 'resources/read', params: { uri: 'file:///my%20project/x' } }))).toEqual(
    ran,
  )
})

test('[POLICY-68] a spelling that is not covered by an asking policy does not avoid the ask', async () => {
  const { gated } = await aGate([
    all,
    { name: 'ask', kind: 'resources', targets: ['notes://@a/*'], effect: { ask: { ask: 'person:ben' } } },
  ])

  expect(await gated.start(callOf({ method: 'resources/read', params: { uri: 'notes://%40a/x' } }))).toMatchObject({
    kind: 'input-required',
  })
})

test.each(['file:///project/plan.md', 'https://example.com:8443/a?x=1#y', 'urn:isbn:1'])(
  '[POLICY-68] a plain address such as %j has few spellings, of which the first is the written one',
  (address) => {
    const spellings = spellingsOf(address)
    expect(spellings[0]).toBe(address)
    expect(spellings.length).toBeLessThan(3)
  },
)

test('[POLICY-68] escapes that are not valid UTF-8 are not decoded', () => {
  const spellings = spellingsOf('file:///project/%FF%FE')
  expect(spellings).toContain('file:///project/%FF%FE')
  expect(spellings.join('')).not.toContain('\ufffd')
})
