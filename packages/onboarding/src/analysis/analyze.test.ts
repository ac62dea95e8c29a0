// What the analysis finds, and what it leaves alone.
import { afterEach, describe, expect, test } from 'vitest'
import { discover } from '../files/discover.ts'
import { benign, benignTogether } from '../fixtures/benign.corpus.ts'
import { type Content, createRepository, type Fixture, type TestRepository } from '../fixtures/fixture.suite.ts'
import {
  conflicting,
  monorepo,
  none,
  odd,
  onlyCursor,
  symlinks,
  unstructured,
  veryLarge,
  windows,
} from '../fixtures/repositories.corpus.ts'
import { type Analysis, analyze } from './analyze.ts'

let placed: TestRepository | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function analysed(fixture: Fixture): Promise<Analysis> {
  placed = await createRepository(fixture)
  return analyze(await discover({ root: placed.root, stateFolder: '.copilot-state' }))
}

async function found(files: Readonly<Record<string, Content>>): Promise<string[]> {
  const { findings } = await analysed({ name: 'one', files })
  return findings
    .filter(({ weight }) => weight === 'problem')
    .map(({ kind, places }) => `${kind} ${places.map(({ path, line }) => `${path}:${line}`).join(' ')}`)
}

describe('what kind of repository it is', () => {
  test.each([
    [none, 'clean'],
    [onlyCursor, 'structured'],
    [unstructured, 'unstructured'],
    [monorepo, 'messy'],
    [conflicting, 'messy'],
    [windows, 'messy'],
    [odd, 'messy'],
  ] as const)('[ONBOARD-2] %o', async (fixture, pattern) => {
    expect((await analysed(fixture)).pattern).toBe(pattern)
  })
})

describe('what is wrong', () => {
  test('[ONBOARD-13] contradictions are found with both lines', async () => {
    const { findings } = await analysed(conflicting)
    const contradictions = findings.filter(({ kind }) => kind === 'contradiction')
    expect(contradictions.map(({ id, places }) => [id, ...places.map(({ path, line }) => `${path}:${line}`)])).toEqual([
      ['C1', 'AGENTS.md:5', 'CLAUDE.md:5'],
      ['C2', 'AGENTS.md:6', 'CLAUDE.md:6'],
      ['C3', 'AGENTS.md:11', 'CLAUDE.md:12'],
      ['C4', 'CLAUDE.md:13', 'AGENTS.md:13'],
    ])
  })

  test.each([
    ['Use npm to install dependencies.', 'Use yarn to install dependencies.'],
    ['Format with Prettier.', 'Format with Biome.'],
    ['Use single quotes.', 'Use double quotes.'],
    ['Always use semicolons.', 'No semicolons.'],
    ['Variables are camelCase.', 'Variables are snake_case.'],
    ['The maximum line length is 80.', 'The maximum line length is 120.'],
    ['Never use `any`.', '`any` is fine.'],
    ['Commit directly to main.', 'Create a feature branch first.'],
    ['Prefer named exports.', 'Prefer default exports.'],
    ['Always add a changelog entry.', 'Do not add a changelog entry.'],
    ['Install packages with poetry.', 'Install packages with uv.'],
    ['Rebase your branch onto main before merging.', 'Never rebase your branch onto main before merging.'],
  ])('[ONBOARD-13] “%s” and “%s” contradict each other', async (one, other) => {
    const files = { 'AGENTS.md': `# A\n\n- ${one}\n`, 'CLAUDE.md': `# A\n\n- Something else.\n- ${other}\n` }
    expect(await found(files)).toEqual([
      expect.stringMatching(/^contradiction (AGENTS.md:3 CLAUDE.md:4|CLAUDE.md:4 AGENTS.md:3)$/),
    ])
  })

  test('[ONBOARD-13] duplicates are found between files, in one file, and as headings', async () => {
    const twice = '- Every public function has a comment that says why it exists.\n'
    expect(await found({ 'AGENTS.md': `# A\n\n${twice}`, 'CLAUDE.md': `# A\n\nHello.\n\n${twice}` })).toEqual([
      'duplicate AGENTS.md:3 CLAUDE.md:5',
    ])
    expect(await found({ 'AGENTS.md': `# A\n\n${twice}- Other.\n${twice}` })).toEqual([
      'duplicate AGENTS.md:3 AGENTS.md:5',
    ])
    expect(await found({ 'AGENTS.md': '# A\n\n## Tests\n\nOne.\n\n## Style\n\nTwo.\n\n## Tests\n\nThree.\n' })).toEqual(
      ['duplicate AGENTS.md:3 AGENTS.md:11'],
    )
  })

  test('[ONBOARD-13] references that lead nowhere are found: links, imports, paths, scripts and patterns', async () => {
    const problems = await found({
      'package.json': '{"scripts":{"test":"vitest"}}',
      'AGENTS.md':
        '# A\n\nSee [the guide](docs/guide.md).\n\n- The entry is `src/server/main.ts`.\n- Run `npm run lint`.\n- Run `npm run test`.\n',
      'CLAUDE.md': '@docs/style.md\n\n# A\n\n- Fine.\n',
      '.cursor/rules/a.mdc': '---\nglobs: src/**/*.rs\n---\n\n- Rust.\n',
    })
    expect(problems.sort()).toEqual([
      'dead-reference .cursor/rules/a.mdc:2',
      'dead-reference AGENTS.md:3',
      'dead-reference AGENTS.md:5',
      'dead-reference AGENTS.md:6',
      'dead-reference CLAUDE.md:1',
    ])
  })

  test('[ONBOARD-13] instructions that agents read differently are found', async () => {
    const problems = await found({
      'docs/more.md': 'more\n',
      'AGENTS.md': `# A\n\n@docs/more.md\n\n${'- Filler of no importance.\n'.repeat(1)}`,
      'src/agents.md': '# Wrong case\n',
      '.cursor/rules/a.md': '- Not read by anybody.\n',
      '.cursor/rules/b.mdc': '- No conditions at all.\n',
      '.claude/rules/c.md': '---\nglobs: "**/*.md"\n---\n\n- Wrong key.\n',
      '.github/instructions/d.instructions.md': '---\ndescription: D\n---\n\n- By hand.\n',
      '.github/instructions/e.instructions.md': '\ufeff---\napplyTo: "**/*.md"\n---\n\n- Behind a mark.\n',
    })
    expect(problems.sort()).toEqual([
      'read-differently .claude/rules/c.md:2',
      'read-differently .cursor/rules/a.md:1',
      'read-differently .cursor/rules/b.mdc:1',
      'read-differently .github/instructions/d.instructions.md:1',
      'read-differently .github/instructions/e.instructions.md:1',
      'read-differently AGENTS.md:3',
      'read-differently src/agents.md:1',
    ])
  })

  test('[ONBOARD-13] an AGENTS.md that Codex would cut off is reported', async () => {
    const lines = Array.from({ length: 1_200 }, (_, n) => `- Number ${n} of many rules.`)
    expect(await found({ 'AGENTS.md': `# A\n\n${lines.join('\n')}\n` })).toEqual(['read-differently AGENTS.md:1'])
  })

  test('[ONBOARD-12] links out of the repository are reported and never read', async () => {
    const { findings, files } = await analysed(symlinks)
    expect(findings.filter(({ kind }) => kind === 'dead-reference').map(({ places }) => places[0]?.path)).toEqual([
      '.cursorrules',
      '.github/copilot-instructions.md',
    ])
    expect(JSON.stringify({ findings, files })).not.toContain('From another place')
  })

  test('[ONBOARD-12] a file that is too long or not UTF-8 is reported with its line, and not analysed', async () => {
    const { findings } = await analysed(odd)
    expect(findings.find(({ kind }) => kind === 'cannot-read')).toMatchObject({
      places: [{ path: 'GEMINI.md', line: 3 }],
    })
    await placed?.remove()
    const large = await analysed(veryLarge())
    expect(large.findings.find(({ kind }) => kind === 'cannot-read')?.message).toContain('2,')
  })
})

describe('what is not wrong', () => {
  test.each([...benign, ...benignTogether])('[ONBOARD-14] no findings: $name', async (fixture) => {
    const { findings, pattern } = await analysed(fixture)
    expect(findings.filter(({ weight }) => weight === 'problem')).toEqual([])
    expect(pattern).toBe('structured')
  })

  test('[ONBOARD-14] a file that agrees with another in different wording has no findings', async () => {
    const problems = await found({
      'AGENTS.md': '# A\n\n- Use pnpm for everything.\n- Two spaces of indentation.\n',
      'CLAUDE.md': '# A\n\n- The package manager is pnpm.\n- Indent by 2 spaces.\n',
    })
    expect(problems).toEqual([])
  })
})
