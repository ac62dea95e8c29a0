// Checks the docs: links, structure, generated pages, spelling, and the examples on the start pages.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../../packages/gateway/src/program/program.ts'
import { initClients } from '../../packages/gateway/src/setup/init/clients.ts'
import { commandNames } from '../../scripts/docs/commands.ts'
import { generatedPages } from '../../scripts/docs/generated.ts'
import { llmsText } from '../../scripts/docs-site/llms.ts'
import { pagesOf, siteLink } from '../../scripts/docs-site/pages.ts'
import { notOnSite, siteParts } from '../../scripts/docs-site/structure.ts'
import { commandLinesIn, unknownIn } from '../readme/command-lines.ts'
import { readText } from '../workspace.ts'
import { linkProblems } from './anchors.ts'
import { snippetProblems, snippetsIn } from './snippets.ts'

const docs = globSync('docs/**/*.md').map((path) => path.replaceAll('\\', '/'))
const listed = siteParts.flatMap((part) => pagesOf(part).flatMap(({ pages }) => pages))

test('[SITE-1] every link in the docs leads to a file that exists, and every anchor to a heading', () => {
  const pages = [...docs, ...globSync('*.md'), ...globSync('packages/*/README.md')]
  expect(pages.flatMap((page) => linkProblems(page, readText(page)))).toEqual([])

  const planted = '# A title\n\n[a](#a-title) [b](#no-title) [c](gone.md) [d](../README.md)\n'
  expect(linkProblems('docs/planted.md', planted)).toEqual([
    'docs/planted.md: no heading for #no-title',
    'docs/planted.md: gone.md does not exist',
  ])
})

test('[SITE-2] every page is in one part of the site, with a title and a first sentence', () => {
  const paths = listed.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  const others = docs
    .map((path) => path.slice('docs/'.length))
    .filter((path) => !paths.includes(path) && !notOnSite.includes(path))
    .filter((path) => path !== 'index.md' && !path.startsWith('decisions/'))
  expect(others).toEqual([])
  for (const { path, title, summary } of listed) {
    expect(title, path).not.toBe(path)
    expect(summary.length, path).toBeGreaterThan(20)
  }
})

test('[SITE-3] the generated pages are up to date (if this is intended, run: npm run docs)', async () => {
  const pages = await generatedPages()
  expect(pages.length).toBeGreaterThan(10)
  for (const { path, text } of pages) expect(readText(path), path).toBe(text)
})

test('[SITE-16] no generated part of a page is empty', () => {
  const parts = [...docs, ...globSync('*.md')].flatMap((page) => generatedParts(page, readText(page)))
  expect(parts.length).toBeGreaterThan(0)
  expect(parts.filter(({ content }) => content === '').map(({ page, name }) => `${page}: ${name}`)).toEqual([])

  const planted = '<!-- a: made by b -->\n\nText\n\n<!-- end of a -->\n\n<!-- c d -->\n\n<!-- end of c d -->\n'
  expect(generatedParts('p.md', planted)).toEqual([
    { page: 'p.md', name: 'a', content: 'Text' },
    { page: 'p.md', name: 'c d', content: '' },
  ])
})

test('[SITE-4] there is a page for each client that init can set up, with a picture, and each says how and what is written', () => {
  for (const { id, title } of initClients) {
    const page = readText(`docs/start/clients/${id}.md`)
    expect(page).toContain(`# ${title}\n`)
    expect(page).toContain(`npx assent init ${id}\n`)
    for (const heading of ['Where questions appear', 'What is written', 'Known limits'])
      expect(page, id).toContain(`## ${heading}\n`)
    expect(page, id).toMatch(new RegExp(`!\\[A question from ${title}[^\\]]*\\]\\(../../screens/client-${id}.png\\)`))
    expect(existsSync(`docs/screens/client-${id}.png`), id).toBe(true)
  }
})

test('[SITE-5] the reference lists every command, and pages name only commands and options that exist', () => {
  const names = commandNames()
  expect(names).toContain('asks list')
  const reference = readText('docs/reference/commands.md')
  for (const name of names) expect(reference).toContain(`## assent ${name}\n`)

  const nothing = () => undefined
  const terminal = { out: nothing, err: nothing, variables: {}, isOutColoured: false, isErrColoured: false }
  const program = commandLine(terminal, nothing)
  for (const page of docs.filter((path) => /^docs\/(start|guides|background)\//.test(path))) {
    const unknown = commandLinesIn(readText(page)).filter((line) => unknownIn(line, program) !== undefined)
    expect(unknown, page).toEqual([])
  }
})

test.each(
  docs.filter((path) => /^docs\/(start\/[^/]+|guides\/[^/]+)$/.test(path) && snippetsIn(readText(path)).length > 0),
)('[SITE-6] every YAML and Cedar example of %s is valid', async (page) => {
  for (const snippet of snippetsIn(readText(page)))
    expect(await snippetProblems(page, snippet), snippet.text).toEqual([])
})

test.each([
  ['an unknown setting', 'yaml', 'servers: { a: { command: b } }\nasks: { surface: [inbox] }\n'],
  ['a part with a mistake', 'yaml', 'record: everything\n'],
  ['a policy that names no tool', 'yaml', '- name: a\n  ask: { from: requester }\n'],
  ['a test case without a call', 'yaml', '- name: a\n  expect: ask\n'],
  ['Cedar that does not parse', 'cedar', 'forbid (principal, action);\n'],
  [
    'Cedar about an attribute that does not exist',
    'cedar',
    'forbid (principal, action, resource) when { resource.owner };\n',
  ],
] as const)('[SITE-6] %s in an example is found', async (_, language, text) => {
  expect(await snippetProblems('docs/guides/approvals.md', { language, text })).not.toEqual([])
})

test('[SITE-7] cspell reads every page, finds no spelling mistake, and finds a planted one', {
  timeout: 300_000,
}, () => {
  const { files, ignorePaths } = JSON.parse(readText('cspell.json'))
  // What is installed, and what a build writes.
  expect(ignorePaths).toEqual(['**/node_modules/**', '**/dist/**', 'packages/gateway/web/**'])
  const read = globSync(files, { exclude: ignorePaths })
  expect(read.length).toBeGreaterThan(100)
  const pages = globSync(['**/*.md', '.github/**/*.md'], { exclude: ignorePaths })
  expect(pages.filter((path) => !read.includes(path))).toEqual([])

  const spelling = spell([])
  expect(spelling.output).toBe('')
  expect(spelling.status).toBe(0)

  const folder = mkdtempSync(join(tmpdir(), 'assent-spelling-'))
  try {
    writeFileSync(join(folder, 'page.md'), 'A sentense.\n')
    expect(spell(['--root', folder, join(folder, 'page.md')]).output).toContain('sentense')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('[SITE-8] llms.txt lists every page with a sentence, and the machine-readable schemas', () => {
  const text = llmsText()
  for (const { path, title } of listed) expect(text).toContain(`- [${title}](/${path}): `)
  expect(text).toContain('(/assent.schema.json)')
})

test('[SITE-9] a link out of the docs leads to the repository, any other link stays', () => {
  const link = (href: string) => siteLink(href, 'guides/secrets.md', 'https://git.example/a')
  expect(link('../../examples/deploy.ts')).toBe('https://git.example/a/blob/main/examples/deploy.ts')
  expect(link('../../SECURITY.md#report')).toBe('https://git.example/a/blob/main/SECURITY.md#report')
  expect(link('../release.md')).toBe('https://git.example/a/blob/main/docs/release.md')
  for (const same of ['approvals.md', '../behaviour.md#x', '#here', 'https://example.com/', '../screens/a.png'])
    expect(link(same)).toBe(same)
})

test('[SITE-20] before the release, every start page with a command that needs a published package says so, and afterwards none', () => {
  const needsPackage = /npx assent|npm install @assent/
  const notice =
    /Assent is not on npm yet\. Until the first release, \[install it from a clone\]\(\S*#install-it-before-the-release\)\./
  const isReleased = !/not on npm yet/i.test(readText('README.md'))
  const pages = docs.filter((path) => path.startsWith('docs/start/') && needsPackage.test(readText(path)))
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.filter((path) => notice.test(readText(path)) === isReleased)).toEqual([])
})

/** What is between `<!-- name: … -->` and `<!-- end of name -->`. */
function generatedParts(page: string, text: string) {
  const found = text.matchAll(/<!-- ([a-z ]+)(?:: .*?)? -->\n([\s\S]*?)<!-- end of \1 -->/g)
  return [...found].map(([, name = '', content = '']) => ({ page, name, content: content.trim() }))
}

function spell(args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const program = 'node_modules/cspell/bin.mjs'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'lint', '--no-progress', '--no-summary', '--config', 'cspell.json', ...args],
    { encoding: 'utf8' },
  )
  return { status, output: `${stdout}${stderr}` }
}
