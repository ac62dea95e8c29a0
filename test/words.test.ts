// Checks that no file uses an old word (boundaries/words.ts), and that planted old words are found.
import { expect, test } from 'vitest'
import { checkedForWords, oldWordsIn } from './boundaries/words.ts'

test('[HOUSE-17] no file name, identifier, test title or text contains an old word', () => {
  const files = checkedForWords()
  expect(files.length).toBeGreaterThan(1_000)
  expect(files.flatMap(oldWordsIn)).toEqual([])
})

test('[HOUSE-17] an old word in a file name, an identifier, a test title or a text is found', () => {
  const path = 'packages/core/src/ask-desk.ts'
  const text = `test('[FLEET-1] whoever asks waits', () => throwIfTold(\`it is no setting: \${name}\`, 'fleet'))`
  expect(oldWordsIn({ path, text })).toEqual([
    `${path} ask-desk.ts: write "service", not "desk"`,
    `${path}:1 "whoever" (name the subject: the person, the client, the caller): whoever asks waits`,
    `${path}:1 throwIfTold: write "reported", not "told"`,
    `${path}:1 "is no setting" (unknown, invalid): it is no setting:`,
  ])
})
