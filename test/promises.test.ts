// Checks docs/behaviour.md against all tests: every promise has a test, and every test cites a promise.
import { describe, expect, test } from 'vitest'
import { judgePromises, readPromises } from './promises/judge.ts'
import { titlesIn } from './promises/titles.ts'
import { readSources, readText, type SourceFile } from './workspace.ts'

test('[HOUSE-8] every promise has a test that shows it, and every test cites a promise', () => {
  const listed = readPromises(readText('docs/behaviour.md'))
  // Readers of the guide copy these tests into their own projects, so they cite no promise of ours.
  const ours = ({ path }: SourceFile) => !path.startsWith('examples/first-question/')
  const titles = titlesIn(['packages', 'test', 'examples'].flatMap(readSources).filter(ours))

  expect(titles.length).toBeGreaterThan(0)
  expect(judgePromises(listed, titles)).toEqual([])
})

describe('planted promises', () => {
  const behaviour = [
    '# Promises',
    '- **ASK-1** One counts.',
    '- **ASK-2** It is stored.',
    '  Also after a crash.',
  ].join('\n')
  const problemsOf = (source: string, markdown = behaviour) =>
    judgePromises(readPromises(markdown), titlesIn([{ path: 'a.test.ts', text: `${vitest}\n${source}` }]))

  test('[HOUSE-8] no problem is reported if the tests cite every promise', () => {
    expect(problemsOf(`test('[ASK-1] a', () => {})\nit('[ASK-2] b', () => {})`)).toEqual([])
    expect(problemsOf(`test('[ASK-1] [ASK-2] a', () => {})`)).toEqual([])
  })

  test('[HOUSE-8] a promise without a test is reported', () => {
    expect(problemsOf(`test('[ASK-1] a', () => {})`)).toEqual(['ASK-2 has no test that shows it'])
  })

  test('[HOUSE-8] a title that cites an unknown promise is reported', () => {
    expect(problemsOf(`test('[ASK-1] [ASK-2] [ASK-22] a', () => {})`)).toEqual([
      'a.test.ts:2 cites ASK-22, which docs/behaviour.md does not list',
    ])
  })

  test('[HOUSE-8] an id that is listed twice is reported', () => {
    expect(problemsOf(all, `${behaviour}\n- **ASK-1** Again.`)).toEqual(['line 5: ASK-1 is listed twice'])
  })

  test.each([
    '* **ASK-3** A star instead of a dash.',
    '- **ASK-3**No space.',
    '- **ASK-3**',
    '- **Ask-3** Lower case.',
    '- **ASK-03** A leading zero.',
    '- **ASK_3** An underscore.',
    '- __ASK-3__ The other bold.',
    '**ASK-3** No dash.',
    '  - **ASK-3** Indented.',
    '1. **ASK-3** Numbered.',
  ])('[HOUSE-8] a misspelt promise is reported: %s', (line) => {
    expect(problemsOf(all, `${behaviour}\n${line}`)).toEqual([
      'line 5: looks like a promise but is not of the form "- **ASK-4** Sentence."',
    ])
  })

  test('[HOUSE-8] an example in a code fence is not a promise', () => {
    expect(problemsOf(all, `${behaviour}\n\`\`\`\n- **ASK-4** An example.\n\`\`\``)).toEqual([])
  })

  test.each([
    `test('a sentence', () => {})`,
    `it('a sentence', () => {})`,
    `test('a sentence that cites [ASK-1] too late', () => {})`,
    `test('[ASK-1]no space', () => {})`,
    `test('ASK-1 no brackets', () => {})`,
    `test('[ask-1] lower case', () => {})`,
    `test.only('a sentence', () => {})`,
    `test.concurrent.each([1])('a sentence %s', () => {})`,
    `describe('[ASK-1] a group', () => { test('a sentence', () => {}) })`,
    `describe.each([1])('[ASK-1] a group %s', () => { test('a sentence', () => {}) })`,
    'test.each`a | b`("a sentence", () => {})',
    `for (const name of names) test(\`a sentence \${name}\`, () => {})`,
    `check('a sentence', () => {})`,
    `extended('a sentence', () => {})`,
    `test.skip('a sentence', () => {})`,
    `test('', () => {})`,
  ])('[HOUSE-8] a test without a promise is reported: %s', (source) => {
    expect(problemsOf(`${all}\n${source}`)).toHaveLength(1)
    expect(problemsOf(`${all}\n${source}`)[0]).toContain('a.test.ts:3 cites no promise')
  })

  test.each([
    'test(title, () => {})',
    'for (const [title] of cases) test(title, () => {})',
    `test(\`\${id} a sentence\`, () => {})`,
    `test.each(cases)(nameOf, () => {})`,
    `test(id + ' a sentence', () => {})`,
    'onEach(title, () => {}); function onEach(name, run) { test(name, run) }',
    `const onEach = (run) => test(\`\${title} a sentence\`, run); onEach(() => {})`,
  ])('[HOUSE-8] a title whose start is computed at run time is reported: %s', (source) => {
    expect(problemsOf(`${all}\n${source}`)).toHaveLength(1)
  })

  test.each([
    `test.each([1])('[ASK-2] %s', () => {})`,
    `test.for([1])('[ASK-2] %s', () => {})`,
    'test.each`a | b`("[ASK-2] a", () => {})',
    `test.skipIf(onWindows)('[ASK-2] a', () => {})`,
    `describe.each([1])('a group %s', () => { test('[ASK-2] a', () => {}) })`,
    `for (const name of names) test(\`[ASK-2] \${name}\`, () => {})`,
    `for (const name of names) test('[ASK-2] ' + name, () => {})`,
    `for (const name of names) test(\`[ASK-2] [ASK-1] \${name} and \${name}\`, () => {})`,
    `check('[ASK-2] a', () => {})`,
    `extended('[ASK-2] a', () => {})`,
    `test('[ASK-2] a', { timeout: 5, skip: false }, () => {})`,
    `test(('[ASK-2] a' as string), () => {})`,
  ])('[HOUSE-8] a promise is shown by %s', (source) => {
    expect(problemsOf(`test('[ASK-1] a', () => {})\n${source}`)).toEqual([])
  })

  test.each([
    `test.skip('[ASK-2] a', () => {})`,
    `test.todo('[ASK-2] a')`,
    `test.fails('[ASK-2] a', () => {})`,
    `test.skip.each([1])('[ASK-2] a', () => {})`,
    `test('[ASK-2] a', { skip: true }, () => {})`,
    `describe.skip('a group', () => { test('[ASK-2] a', () => {}) })`,
    `describe.skip('a group', () => { describe('b', () => { test.each([1])('[ASK-2] a', () => {}) }) })`,
    `// test('[ASK-2] a', () => {})`,
    `const text = "test('[ASK-2] a', () => {})"`,
    `other.test('[ASK-2] a')`,
  ])('[HOUSE-8] a promise is not shown by %s', (source) => {
    expect(problemsOf(`test('[ASK-1] a', () => {})\n${source}`)).toEqual(['ASK-2 has no test that shows it'])
  })

  describe('functions that take a title and call test()', () => {
    const suite = {
      path: 'packages/store/src/contract/engines.suite.ts',
      text: `import { test } from 'vitest'
        export function onEachEngine(title, run) { for (const engine of engines) test(\`\${title} (\${engine})\`, run) }
        export const onOne = async (engine, title, run) => { await prepare(); test(title + engine, run) }`,
    }
    const titlesNextTo = (text: string) =>
      titlesIn([suite, { path: 'packages/store/src/asks/asks.test.ts', text }]).map(({ title }) => title)

    test('[HOUSE-8] count as tests where they are called, under any local name', () => {
      const text = `import { onEachEngine, onOne as on } from '../contract/engines.suite.ts'
        onEachEngine('[ASK-1] a', () => {})
        on('SQLite', \`[ASK-2] b \${name}\`, () => {})
        onEachEngine(title, () => {})`
      expect(titlesNextTo(text)).toEqual(['[ASK-1] a', '[ASK-2] b ', null])
    })

    test('[HOUSE-8] are distinguished from other functions of the same name', () => {
      expect(titlesNextTo(`import { onEachEngine } from './elsewhere.ts'\nonEachEngine('a', () => {})`)).toEqual([])
    })

    test('[HOUSE-8] do not hide tests with their own titles', () => {
      const text = `import { test } from 'vitest'
        function onEach(title, run) { test(title, run); test('a', run); test(other, run) }
        onEach('[ASK-1] b', () => {})`
      expect(titlesNextTo(text)).toEqual(['a', null, '[ASK-1] b'])
    })
  })

  test('[HOUSE-8] code that only looks like a test needs no promise', () => {
    const source = `;/x/.test('a'); expect.extend({}); test.beforeEach(() => {}); const cases = [1].map((it) => it.name)`
    expect(problemsOf(`${all}\n${source}`)).toEqual([])
    expect(titlesIn([{ path: 'a.ts', text: `test('a', () => {})` }])).toEqual([])
  })
})

const vitest = `import { describe, expect, test, it, test as check } from 'vitest'; const extended = test.extend({ a: 1 })`
const all = `test('[ASK-1] [ASK-2] a', () => {})`
