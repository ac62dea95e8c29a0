import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asking, harmless, heldOutAsking, heldOutHarmless, type Phrase } from './secrets.corpus.ts'
import { type ScreenedField, screenForSecrets } from './secrets.ts'

// First run on the held-out phrases, before any tuning: 111 of 114 asking found, 2 of 120 harmless ones flagged. On 126
// further phrases written to be hard, first run after tuning: 47 of 56 found, 7 of 70 flagged; most are now in the
// corpus. `cardNumberOfDeck` is still flagged; an exception for it would be tuning to one phrase.
const knownFalseAlarms = ['cardNumberOfDeck']

test.each([
  ['tuned', asking],
  ['held-out', heldOutAsking],
])('[SCREEN-1] every %s phrase that asks for a secret is found', (_, phrases) => {
  expect(phrases.filter((phrase) => !isFound(phrase))).toEqual([])
})

test.each([
  ['tuned', harmless],
  ['held-out', heldOutHarmless],
])('[SCREEN-2] no %s phrase that only mentions secrets is refused', (_, phrases) => {
  expect(phrases.filter(isFound).map((phrase) => phrase.text)).toEqual(
    phrases.map((phrase) => phrase.text).filter((text) => knownFalseAlarms.includes(text)),
  )
})

test('[SCREEN-1] the corpus has enough phrases and no duplicates', () => {
  const texts = [asking, heldOutAsking, harmless, heldOutHarmless].map((phrases) => phrases.map(({ text }) => text))
  const [asks, others] = [texts.slice(0, 2).flat(), texts.slice(2).flat()]

  expect(asks.length).toBeGreaterThanOrEqual(250)
  expect(others.length).toBeGreaterThanOrEqual(250)
  expect(asks.filter((text) => others.includes(text))).toEqual([])
})

test.each(['boolean', 'choice', 'choices'])('[SCREEN-3] a form of %s fields alone cannot carry a secret', (kind) => {
  expect(screenForSecrets([{ name: 'password', title: 'Your password', kind }], 'Enter your password')).toEqual([])
})

test('[SCREEN-3] the name of a checkbox is not a finding, but its description must not ask for a secret', () => {
  const note: ScreenedField = { name: 'note', kind: 'text' }

  expect(screenForSecrets([note, { name: 'password', kind: 'boolean' }])).toEqual([])
  const found = screenForSecrets([
    note,
    { name: 'ok', kind: 'boolean', description: 'Type your password in the note.' },
  ])
  expect(found).toMatchObject([{ field: 'ok', where: 'description', term: 'password' }])
})

test('[SCREEN-3] a number can be a PIN, and a field of unknown kind can be anything', () => {
  expect(screenForSecrets([{ name: 'pin', kind: 'number' }])).toHaveLength(1)
  expect(screenForSecrets([{ name: 'pin', kind: 'hologram' }])).toHaveLength(1)
})

test('[SCREEN-4] a finding has the place, the matched words and what to do instead', () => {
  const found = screenForSecrets([{ name: 'apiKey', title: 'Key', description: 'Paste it.' }], 'I need your API key.')

  expect(found.map(({ field, where, term }) => [field, where, term])).toEqual([
    ['apiKey', 'name', 'api key'],
    [undefined, 'message', 'api key'],
  ])
  expect(found[0]?.reason).toBe(
    'The name of the field “apiKey” asks for a secret (“api key”). A form must not ask for a secret. ' +
      'Send a link to a page where the person enters it.',
  )
})

test('[SCREEN-4] the reason is safe to show whatever the field is called', () => {
  const [found] = screenForSecrets([{ name: `\u001b[2J\u202Epassword${'x'.repeat(500)}` }])

  expect(found?.reason).toContain('⟨U+001B⟩[2J⟨U+202E⟩password')
  expect(found?.reason.length).toBeLessThan(300)
})

test('[SCREEN-2] a PIN code among address fields is a postal code, as in India', () => {
  expect(screenForSecrets([{ name: 'pinCode' }, { name: 'city' }])).toEqual([])
  expect(screenForSecrets([{ name: 'pincode' }, { name: 'line', title: 'Street address' }])).toEqual([])
  expect(screenForSecrets([{ name: 'pinCode' }])).toHaveLength(1)
  expect(screenForSecrets([{ name: 'pin' }, { name: 'city' }])).toHaveLength(1)
})

test('[SCREEN-1] a refusal earlier in the text does not excuse a later request', () => {
  const value: ScreenedField = { name: 'value' }

  expect(screenForSecrets([value], 'Never share your PIN. Enter your password.')).toHaveLength(1)
  expect(screenForSecrets([value], 'If you are not sure, enter your password')).toHaveLength(1)
  expect(screenForSecrets([value], 'Do not hesitate to send your API key to us')).toHaveLength(1)
})

test('[SCREEN-13] no string makes the check throw', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  const field = fc.record({ name: text, title: text, description: text })

  fc.assert(
    fc.property(fc.array(field, { maxLength: 3 }), text, (fields, message) => {
      expect(Array.isArray(screenForSecrets(fields, message))).toBe(true)
    }),
  )
})

test.each(['password policy ', 'aB', 'a ', 'clave', 'numero de la ', 'enter the ', '密码学', 'a0', '| '])(
  '[SCREEN-13] 200,000 characters of %j take time in proportion to their length',
  (unit) => {
    const start = process.cpuUsage()
    screenForSecrets([{ name: 'x', description: unit.repeat(200_000 / unit.length) }])

    // It takes well under a second; it would take half a minute if the time grew with the square of the length.
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000)
  },
)

function isFound({ place, text }: Phrase): boolean {
  if (place === 'message') return screenForSecrets([{ name: 'answer' }], text).length > 0
  return screenForSecrets([place === 'name' ? { name: text } : { name: 'value', [place]: text }]).length > 0
}

test.each([
  ['title', 'GitHub PAT'],
  ['title', 'GitLab PAT'],
  ['message', 'Enter the six digits from your authenticator app.'],
  ['message', 'Paste the contents of ~/.ssh/id_rsa.'],
  ['title', 'Your .env file'],
  ['message', 'Enter the code we sent to your phone.'],
  ['name', 'ssn'],
] as const)(
  '[SCREEN-14] a request that describes a secret without naming it is found, in the %s: %s',
  (place, text) => {
    expect(isFound({ place, text })).toBe(true)
  },
)

test.each([
  ['title', 'Path to your .env file'],
  ['name', 'env_file'],
  ['message', 'Should I create a .env file?'],
  ['description', 'Path to id_rsa on this machine'],
] as const)('[SCREEN-14] naming a file that holds secrets is not a request, in the %s: %s', (place, text) => {
  expect(isFound({ place, text })).toBe(false)
})
