// Which part of what a person wrote may be stored after it looked like a secret.
import { expect, test } from 'vitest'
import type { FieldValue } from '../../packages/inbox-web/src/form/form-values.ts'
import { textsOf, withoutTexts } from '../../packages/inbox-web/src/ui/flagged-texts.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const written = (comment: string, values: Readonly<Record<string, FieldValue>> = {}) => ({
  comment,
  values: new Map(Object.entries(values)),
})
const flagged = textsOf(
  written(`use ${key}`, { size: 'a', count: 3, token: key, hosts: ['db.example', 'web.example'] }),
)

test('[INBOX-22] a text that still contains part of what looked like a secret is not stored, in any field', () => {
  expect(withoutTexts(written(`use ${key}`, { token: key }), flagged)).toEqual(written(''))
  expect(withoutTexts(written(`${key} from the vault`), flagged)).toEqual(written(''))
  expect(withoutTexts(written('', { notes: key.slice(0, -1), lines: ['one', key] }), flagged)).toEqual(written(''))
})

test('[INBOX-22] other texts are stored, and values that are too short for a secret', () => {
  const kept = written('ask the owner of the vault', {
    size: 'a',
    count: 3,
    hosts: ['cache.example.org'],
    isSure: false,
  })
  expect(withoutTexts(kept, textsOf(written(key, { size: 'a', count: 3 })))).toEqual(kept)
  expect(withoutTexts(kept, [])).toEqual(kept)
})
