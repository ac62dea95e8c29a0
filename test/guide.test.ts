// The guide says only what runs: its snippets are files of examples, and its reference is the source.
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sdkReference } from '../scripts/docs/reference.ts'
import { onboardingWalk } from './guide/onboarding-walk.ts'
import { readText } from './workspace.ts'

interface Snippet {
  readonly page: string
  readonly source: string | undefined
  readonly code: string
}

/** Every block of code in TypeScript, with the file that the comment above it names. */
function snippetsIn(page: string, text: string): Snippet[] {
  const blocks = text.matchAll(/(?:<!-- (?<source>\S+) -->\s+)?```ts\n(?<code>[\s\S]*?)```/g)
  return [...blocks].map(({ groups }) => ({ page, source: groups?.source, code: groups?.code ?? '' }))
}

const pages = globSync('docs/guide/*.md').filter((page) => !page.endsWith('-reference.md'))

test('[GUIDE-1] every snippet of the guide is a file of an example', () => {
  const snippets = pages.flatMap((page) => snippetsIn(page, readText(page)))
  expect(snippets.length).toBeGreaterThan(3)
  for (const { page, source, code } of snippets) {
    expect(source, `a snippet of ${page} does not say which file it is`).toMatch(/^examples\//)
    expect(code, `${source}, in ${page}`).toBe(readText(String(source)))
  }
})

test('[GUIDE-1] a snippet that differs, or names no file, is found', () => {
  const text = 'Words\n\n<!-- examples/a.ts -->\n\n```ts\nconst a = 1\n```\n\nMore\n\n```ts\nconst b = 2\n```\n'
  expect(snippetsIn('page.md', text)).toEqual([
    { page: 'page.md', source: 'examples/a.ts', code: 'const a = 1\n' },
    { page: 'page.md', source: undefined, code: 'const b = 2\n' },
  ])
})

test('[GUIDE-2] the reference of the sdk is current (if this is meant, run: npm run docs)', () => {
  expect(readText('docs/guide/sdk-reference.md')).toBe(sdkReference())
})

test('[GUIDE-3] the walk through onboarding is what really happens (if this is meant, run this test with -u)', async () => {
  const path = 'docs/guide/onboarding.md'
  const walk = await onboardingWalk()
  const shown = new Set<string>()
  const made = readText(path).replace(
    /(<!-- walk: ([^>]+?) -->\n\n)```text\n[\s\S]*?\n```\n/g,
    (_, head: string, name: string) => {
      shown.add(name)
      return `${head}\`\`\`text\n${walk.get(name)}\n\`\`\`\n`
    },
  )
  await expect(made).toMatchFileSnapshot(`../${path}`)
  expect([...shown].sort()).toEqual([...walk.keys()].sort())
})
