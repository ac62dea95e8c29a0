// Checks that the pages for contributors refer only to files, npm scripts and promises that exist.
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from './workspace.ts'

const pages = [
  'CONTRIBUTING.md',
  'SUPPORT.md',
  'CODE_OF_CONDUCT.md',
  'docs/good-first-issues.md',
  'docs/release.md',
  '.github/pull_request_template.md',
]
const scripts = Object.keys(JSON.parse(readText('package.json')).scripts)
const roots = /^(packages|test|test-kit|proofs|benches|scripts|docs|examples|clients|grid|integrations|\.github|\.ci)\//

/** Paths in backticks that start with a folder of the repository. */
function pathsIn(page: string): string[] {
  const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words)
  return quoted.filter((words) => roots.test(words) && !/[<>*{]/.test(words) && !words.includes(' '))
}

function scriptsIn(page: string): string[] {
  return [...page.matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name = '']) => name)
}

function linksIn(page: string): string[] {
  return [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to).filter((to) => !to.includes(':'))
}

describe.each(pages)('%s', (path) => {
  const page = readText(path)

  test('[REPO-8] refers only to files that exist', () => {
    expect(pathsIn(page).filter((named) => !existsSync(named))).toEqual([])
    expect(linksIn(page).filter((to) => !existsSync(join(dirname(path), to)))).toEqual([])
  })

  test('[REPO-8] refers only to npm scripts that exist', () => {
    expect(scriptsIn(page).filter((name) => !scripts.includes(name))).toEqual([])
  })
})

test('[REPO-8] the list of good first issues has entries, each with a file and a place to start', () => {
  const entries = readText('docs/good-first-issues.md')
    .split(/^(?=\d+\. \*\*)/m)
    .slice(1)
  // Entries are deleted when they are done. Add new ones before the list gets too short to choose from.
  expect(entries.length).toBeGreaterThanOrEqual(5)
  for (const entry of entries) {
    expect(pathsIn(entry).length, entry).toBeGreaterThan(0)
    expect(entry).toContain('Start:')
  }
})

test.each(globSync('.github/ISSUE_TEMPLATE/*.yml').filter((path) => !path.endsWith('config.yml')))(
  '[REPO-8] the issue form %s has the fields that GitHub requires',
  (path) => {
    const form = parse(readText(path.replaceAll('\\', '/')))
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String), body: expect.any(Array) })
    const asked = form.body.filter(({ type }: { type: string }) => type !== 'markdown')
    const ids = asked.map(({ id }: { id?: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { type, id, attributes } of asked) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes'], id).toContain(type)
      expect(attributes.label, id).toEqual(expect.any(String))
      if (type === 'dropdown') for (const option of attributes.options) expect(option, id).toEqual(expect.any(String))
      if (type === 'checkboxes')
        for (const option of attributes.options) expect(option.label).toEqual(expect.any(String))
    }
  },
)
