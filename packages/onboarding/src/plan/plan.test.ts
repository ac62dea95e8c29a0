// The plan: it loses no text, its diff is exact, and the same files give the same plan.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { analyze } from '../analysis/analyze.ts'
import { sectionsOf } from '../analysis/markdown.ts'
import { bytesDigest } from '../disk/bytes-digest.ts'
import { discover, type Repository } from '../files/discover.ts'
import { documentOf } from '../files/document.ts'
import { type Content, createRepository, type Fixture, type TestRepository } from '../fixtures/fixture.suite.ts'
import {
  allRepositories,
  conflicting,
  monorepo,
  nested,
  odd,
  symlinks,
  windows,
} from '../fixtures/repositories.corpus.ts'
import { diffOf } from './diff.ts'
import { makePlan } from './make-plan.ts'
import { inputsDigest, type Plan, planDigest } from './plan.ts'
import { unitsOf, wordsOfBlock } from './units.ts'

let placed: TestRepository | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function planned(
  fixture: Fixture,
  keep: Record<string, string> = {},
): Promise<{ repository: Repository; plan: Plan; root: string }> {
  await placed?.remove()
  placed = await createRepository(fixture)
  const repository = await discover({ root: placed.root, stateFolder: '.copilot-state' })
  return { repository, plan: makePlan(repository, analyze(repository), keep), root: placed.root }
}

function after(plan: Plan, path: string): string {
  return plan.edits.find((edit) => edit.path === path)?.after?.text ?? ''
}

/** All statements in these texts, block by block. */
function statementsIn(texts: readonly string[]): Set<string> {
  const blocks = texts.flatMap((text) =>
    sectionsOf(documentOf(text.replace(/^\ufeff/, ''))).flatMap((section) => unitsOf(section.blocks)),
  )
  return new Set(blocks.flatMap((unit) => unit.blocks.map(wordsOfBlock)))
}

function textsBefore({ files }: Repository): Map<string, string> {
  return new Map(
    files.flatMap(({ path, body }) =>
      body.is === 'text' ? [[path, body.read.document.rawLines.join('')] as const] : [],
    ),
  )
}

function textsAfter(repository: Repository, { edits }: Plan): string[] {
  const texts = textsBefore(repository)
  for (const { path, after: next } of edits) {
    if (next === null) texts.delete(path)
    else texts.set(path, next.text)
  }
  return [...texts.values()]
}

describe('every repository', () => {
  test.each(allRepositories())('[ONBOARD-15] no statement is lost: $name', async (fixture) => {
    const { repository, plan } = await planned(fixture)
    const remains = statementsIn(textsAfter(repository, plan))
    expect([...statementsIn([...textsBefore(repository).values()])].filter((words) => !remains.has(words))).toEqual([])
  })

  test.each(allRepositories())(
    '[ONBOARD-15] git applies the diff to exactly the planned bytes: $name',
    async (fixture) => {
      const { plan, root } = await planned(fixture)
      const diff = await diffOf(root, plan.edits)
      if (plan.edits.length > 0) {
        execFileSync('git', ['apply', '--unsafe-paths', '--whitespace=nowarn', '-'], {
          cwd: root,
          input: diff,
          stdio: 'pipe',
          env: { ...process.env, GIT_CEILING_DIRECTORIES: join(root, '..') },
        })
      }
      for (const { path, after: next } of plan.edits) {
        if (next === null) await expect(readFile(join(root, path))).rejects.toThrow('ENOENT')
        else expect(bytesDigest(await readFile(join(root, path)))).toBe(next.digest)
      }
    },
  )

  test.each(allRepositories())(
    '[ONBOARD-7] the same files give the same plan and the same digests: $name',
    async (fixture) => {
      const one = await planned(fixture)
      const other = await planned(fixture)
      expect(planDigest(other.plan)).toBe(planDigest(one.plan))
      expect(inputsDigest(other.plan.inputs)).toBe(inputsDigest(one.plan.inputs))
    },
  )
})

describe('what is planned', () => {
  test('[ONBOARD-15] instructions for one agent stay with it, and links still lead to the same file', async () => {
    const { plan } = await planned(monorepo)
    expect(after(plan, 'CLAUDE.md')).toBe(
      '@AGENTS.md\n\nThis file provides guidance to Claude Code when working with code in this repository.\n\n## Claude Code\n\n- Plan first for anything that touches more than three files.\n',
    )
    expect(after(plan, 'AGENTS.md')).toContain('as [the architecture](docs/architecture.md) explains')
    expect(plan.left).toEqual([expect.objectContaining({ path: '.github/instructions/web.instructions.md' })])
    expect(plan.edits.map(({ path }) => path)).not.toContain('packages/api/AGENTS.md')
  })

  test('[ONBOARD-15] each folder keeps its own AGENTS.md', async () => {
    const { plan } = await planned(nested)
    expect(plan.edits.map(({ path }) => path)).toEqual([
      'services/billing/AGENTS.md',
      'services/billing/CLAUDE.md',
      'services/search/AGENTS.md',
      'services/search/CLAUDE.md',
    ])
    expect(after(plan, 'services/search/AGENTS.md')).toMatch(/^# Search\n\n## Index\n/)
  })

  test('[ONBOARD-15] line endings, byte order marks and modes stay as they are', async () => {
    const { plan } = await planned(windows)
    for (const path of ['AGENTS.md', 'GEMINI.md', '.github/copilot-instructions.md']) {
      expect(after(plan, path).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    }
    expect(after(plan, 'AGENTS.md').startsWith('\ufeff')).toBe(true)
    expect(after(plan, 'GEMINI.md').startsWith('@')).toBe(true)
    const modes = (await planned(odd)).plan.edits.map(({ path, after: next }) => [path, next?.mode])
    expect(modes).toEqual([
      ['AGENTS.md', 0o600],
      ['CLAUDE.md', 0o640],
    ])
  })

  test('[ONBOARD-12] links, read-only files, wrong cases and foreign bytes are left alone, each with a reason', async () => {
    const { plan } = await planned(odd)
    expect(plan.left.map(({ path }) => path)).toEqual([
      '.windsurfrules',
      'GEMINI.md',
      'tools/agents.md',
      'tools/CLAUDE.md',
    ])
    const linked = (await planned(symlinks)).plan
    expect(linked.left.map(({ path }) => path)).toEqual([
      '.cursorrules',
      '.github/copilot-instructions.md',
      'CLAUDE.md',
      'GEMINI.md',
    ])
    expect(linked.edits.map(({ path }) => path)).toEqual(['.windsurfrules', 'AGENTS.md'])
  })

  test('[ONBOARD-16] a contradiction stays in its files until a person chooses a line', async () => {
    const open = (await planned(conflicting)).plan
    expect(after(open, 'CLAUDE.md')).toContain('- Always use npm as the package manager.')
    expect(after(open, 'AGENTS.md')).not.toContain(' npm as the')

    const { plan } = await planned(conflicting, { C1: 'AGENTS.md:5', C3: 'CLAUDE.md:12' })
    expect(after(plan, 'CLAUDE.md')).not.toContain('npm')
    expect(after(plan, 'AGENTS.md')).toContain('- Always use pnpm as the package manager.')
    expect(after(plan, 'AGENTS.md')).toContain('- Indent with tabs.')
    expect(after(plan, 'AGENTS.md')).not.toContain('- Indent with 2 spaces.')
    expect(planDigest(plan)).not.toBe(planDigest(open))
  })

  test.each([
    [{ C9: 'AGENTS.md:5' }, 'no contradiction C9'],
    [{ C1: 'AGENTS.md:6' }, 'is neither'],
    [{ D1: 'AGENTS.md:7' }, 'no contradiction D1'],
  ])('[ONBOARD-16] a choice that names nothing is refused: %o', async (keep, words) => {
    await expect(planned(conflicting, keep as never)).rejects.toThrow(words)
  })

  test('[ONBOARD-16] a choice that would drop more than one statement is refused', async () => {
    const files = {
      'AGENTS.md': '# A\n\nAlways use pnpm as the package manager. Keep the lock file.\n',
      'CLAUDE.md': '# A\n\n- Always use npm as the package manager.\n',
    }
    await expect(planned({ name: 'x', files }, { C1: 'CLAUDE.md:3' })).rejects.toThrow('edited by hand')
    expect(after((await planned({ name: 'x', files }, { C1: 'AGENTS.md:3' })).plan, 'CLAUDE.md')).toBe('@AGENTS.md\n')
  })

  test('[ONBOARD-15] a single file is put in order too: duplicate headings and items, or no headings at all', async () => {
    const twice =
      '# A\n\n## Tests\n\n- One thing that is said.\n\n## Style\n\n- Two.\n\n## Tests\n\n- Three.\n- One thing that is said.\n'
    expect(after((await planned({ name: 'x', files: { 'AGENTS.md': twice } })).plan, 'AGENTS.md')).toBe(
      '# A\n\n## Tests\n\n- One thing that is said.\n- Three.\n\n## Style\n\n- Two.\n',
    )
    const flat = '- Run the tests.\n- Never commit to main.\n- Names are short.\n- Ask first.\n'
    expect(after((await planned({ name: 'x', files: { 'AGENTS.md': flat } })).plan, 'AGENTS.md')).toMatch(
      /^# Instructions for agents\n\n## General\n\n- Ask first\.\n\n## Style\n/,
    )
  })

  test.each([
    ['below the first of them', '## a\n\n- A.\n\n## b\n\n- B.\n\n## a\n\n### c\n\n- C.\n', '###'],
    ['with a level of its own', '### a\n\n- A.\n\n## b\n\n- B.\n\n## a\n\n### c\n\n- C.\n', '####'],
  ])('[ONBOARD-15] text under a heading that occurs twice stays under that heading: %s', async (_, text, level) => {
    const { plan } = await planned({ name: 'x', files: { 'AGENTS.md': text } })
    expect(after(plan, 'AGENTS.md')).toMatch(
      new RegExp(`^#+ a\\n\\n- A\\.\\n\\n${level} c\\n\\n- C\\.\\n\\n## b\\n\\n- B\\.\\n$`),
    )
  })

  test('[ONBOARD-16] a rejected line that is only in one file is removed', async () => {
    const files = {
      'AGENTS.md': '# A\n\n- Always use pnpm as the package manager.\n- Always use npm as the package manager.\n',
    }
    expect(after((await planned({ name: 'x', files }, { C1: 'AGENTS.md:3' })).plan, 'AGENTS.md')).toBe(
      '# A\n\n- Always use pnpm as the package manager.\n',
    )
  })

  test('[ONBOARD-15] the same words under two headings are two rules', async () => {
    const text =
      '# A\n\n## api\n\n- Run the tests.\n\n```sh\nnpm test\n```\n\n## web\n\n- Run the tests.\n\n```sh\nnpm test\n```\n'
    const { plan } = await planned({ name: 'x', files: { 'CLAUDE.md': text } })
    expect(after(plan, 'AGENTS.md').match(/npm test/g)).toHaveLength(2)
    expect(after(plan, 'AGENTS.md').match(/Run the tests/g)).toHaveLength(2)
  })
})

describe('any text', () => {
  const word = fc.constantFrom(
    'use',
    'the',
    'tests',
    'pnpm',
    'never',
    'write',
    'code',
    'Claude',
    'small',
    'docs',
    '`any`',
    'run',
    'ä',
    '→',
  )
  const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
  const line = fc.oneof(
    sentence.map((text) => `- ${text}`),
    sentence.map((text) => `  - ${text}`),
    sentence.map((text) => `1. ${text}`),
    sentence,
    sentence.map((text) => `${text}:`),
    sentence.map((text) => `## ${text}`),
    sentence.map((text) => `### ${text}`),
    sentence.map((text) => `# ${text}`),
    fc.constantFrom('', '', '---', '```sh', '```', '<!-- note -->', '| a | b |', '> quote'),
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, ends]) => {
      const joined = lines.join(eol)
      return ends ? `${joined}${eol}` : joined
    })
  const files = fc.record<Record<string, Content>>(
    { 'AGENTS.md': text, 'CLAUDE.md': text, '.cursorrules': text, '.github/copilot-instructions.md': text },
    { requiredKeys: [] },
  )

  /** Counterexamples that this property found earlier. */
  const known: Record<string, Content>[] = [
    { 'AGENTS.md': '# use\n# use\n## ä', '.cursorrules': '## ä\n1. use' },
    { 'AGENTS.md': '## use\n# never\n## Claude', '.cursorrules': '# Claude\n- use\n# use' },
    { 'AGENTS.md': '## tests use\nuse:\n---', '.github/copilot-instructions.md': '- tests use' },
    { 'AGENTS.md': '## docs\n- use\n## docs\nuse:\n---' },
    { 'AGENTS.md': '## docs\n1. use\n## docs\n  - the' },
    { 'AGENTS.md': '  - Claude small', 'CLAUDE.md': '  - Claude small' },
    { 'CLAUDE.md': '- Claude small', '.cursorrules': '- Claude small' },
  ]

  test('[ONBOARD-15] no text is lost, and a second plan is empty', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const { repository, plan } = await planned({ name: 'any', files: given })
        const remains = statementsIn(textsAfter(repository, plan))
        const lost = [...statementsIn([...textsBefore(repository).values()])].filter(
          (words) => words !== '' && !remains.has(words),
        )
        expect(lost).toEqual([])

        const texts = new Map(textsBefore(repository))
        for (const { path, after: next } of plan.edits) texts.set(path, next?.text ?? '')
        const again = await planned({ name: 'again', files: Object.fromEntries(texts) })
        expect(again.plan.edits.map(({ path }) => path)).toEqual([])
      }),
      // A fixed seed, so that every run checks the same texts. After changing the planner, try other seeds.
      { numRuns: 500, seed: 533_689_308, examples: known.map((given): [typeof given] => [given]) },
    )
  })
})
