// Checks the guide: its snippets are files of examples, its reference is generated from the source.
import { globSync } from 'node:fs'
import { sdkLimits } from '@assent/sdk'
import { expect, test } from 'vitest'
import { sdkReference } from '../scripts/docs/reference.ts'
import { onboardingWalk } from './guide/onboarding-walk.ts'
import { readText } from './workspace.ts'

interface Snippet {
  readonly page: string
  readonly source: string | undefined
  readonly code: string
}

/** Every TypeScript block, with the file that the comment above it names. */
function snippetsIn(page: string, text: string): Snippet[] {
  const blocks = text.matchAll(/(?:<!-- (?<source>\S+) -->\s+)?```ts\n(?<code>[\s\S]*?)```/g)
  return [...blocks].map(({ groups }) => ({ page, source: groups?.source, code: groups?.code ?? '' }))
}

const guide = globSync(['docs/start/**/*.md', 'docs/guides/*.md', 'docs/reference/error-codes.md'])
const pages = ['README.md', ...globSync('packages/*/README.md'), ...guide]

test('[GUIDE-1] every snippet of the guide and of the READMEs is identical to a file of an example', () => {
  const snippets = pages.flatMap((page) => snippetsIn(page, readText(page)))
  expect(snippets.length).toBeGreaterThan(3)
  for (const { page, source, code } of snippets) {
    expect(source, `a snippet of ${page} does not name its file`).toMatch(/^examples\//)
    expect(code, `${source}, in ${page}`).toBe(readText(String(source)))
  }
})

test('[GUIDE-1] snippets are found, with and without the name of a file', () => {
  const text = 'Words\n\n<!-- examples/a.ts -->\n\n```ts\nconst a = 1\n```\n\nMore\n\n```ts\nconst b = 2\n```\n'
  expect(snippetsIn('page.md', text)).toEqual([
    { page: 'page.md', source: 'examples/a.ts', code: 'const a = 1\n' },
    { page: 'page.md', source: undefined, code: 'const b = 2\n' },
  ])
})

test('[GUIDE-2] the SDK reference is up to date (if this is intended, run: npm run docs)', () => {
  expect(readText('docs/reference/sdk.md')).toBe(sdkReference())
})

test('[GUIDE-3] the onboarding walkthrough matches the real messages (if this is intended, run this test with -u)', async () => {
  const path = 'docs/guides/onboarding.md'
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

test('[GUIDE-4] the page about error codes lists every code once', () => {
  const codesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, code]) => code).sort()
  const listed = codesIn(readText('docs/reference/error-codes.md'), /^\| `([a-z_]+)` /gm)
  const [declaration = ''] = readText('packages/core/src/errors.ts').split('export class')
  expect(listed).toEqual(codesIn(declaration, /\| '([a-z_]+)'/g))
  expect(listed).toContain('declined')
})

test('[GUIDE-5] the page about handlers states the rules of a handler that runs again', () => {
  const page = readText('docs/guides/how-your-handler-runs.md')
  expect(page).toContain('Everything outside a step runs in every round.')
  expect(page).toContain('no `catch` and no `finally`')
  expect(page).toContain('the call fails with "… was not awaited"')
  expect(page).toContain('ends a call after ten rounds')
  expect(page.replace(/\s+/g, ' ')).toContain('ten seconds without reaching one of its earlier questions or steps')
  expect(sdkLimits.repeatWithinMs).toBe(10_000)
})

test('[GUIDE-6] the SDK reference declares every name that it lists', () => {
  const sections = sdkReference()
    .split(/^#### /m)
    .slice(1)
  expect(sections.length).toBeGreaterThan(100)
  for (const section of sections) expect(section, section.split('\n', 1)[0]).toContain('```ts')
})
