// Checks docs/background/obligations.md against the tests: every statement of the protocol cites tests or gives a reason.
import { expect, test } from 'vitest'
import { titlesIn } from './promises/titles.ts'
import { readSources, readText } from './workspace.ts'

const first = 53
const last = 93

interface Statement {
  readonly number: number
  readonly titles: readonly string[]
  readonly reason: string
}

function readStatements(markdown: string): Statement[] {
  const [, ...sections] = markdown.split(/^### /m)
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n')
    return {
      number: Number.parseInt(heading, 10),
      titles: lines.flatMap((line) => /^- `(.*)`$/.exec(line)?.[1] ?? []),
      reason: lines
        .filter((line) => !line.startsWith('- ') && !line.startsWith('#'))
        .join(' ')
        .trim(),
    }
  })
}

function problemsOf(statements: readonly Statement[], titles: readonly string[]): string[] {
  const numbers = statements.map(({ number }) => number)
  const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return [
    ...expected
      .filter((number) => numbers.filter((one) => one === number).length !== 1)
      .map((one) => `${one} is missing or listed twice`),
    ...statements
      .filter(({ titles, reason }) => titles.length === 0 && reason === '')
      .map(({ number }) => `${number} has neither tests nor a reason`),
    ...statements.flatMap(({ number, titles: cited }) =>
      cited.filter((title) => !titles.includes(title)).map((title) => `${number} cites an unknown test: ${title}`),
    ),
  ]
}

test('[OBEY-1] every statement cites existing tests or gives a reason', () => {
  const titles = titlesIn(['packages', 'test'].flatMap(readSources)).flatMap(({ title, shows }) =>
    shows && title !== null ? [title] : [],
  )

  expect(problemsOf(readStatements(readText('docs/background/obligations.md')), titles)).toEqual([])
})

test('[OBEY-1] a statement with neither, a missing statement and an unknown test are reported', () => {
  const all = Array.from({ length: last - first + 1 }, (_, index) => `### ${first + index}. A\n\n- \`[A-1] a\`\n`)
  const wrong = [...all.slice(2), '### 53. B\n\n- `[A-1] gone`\n', '### 54. C\n'].join('\n')

  expect(problemsOf(readStatements(all.join('\n')), ['[A-1] a'])).toEqual([])
  expect(problemsOf(readStatements(wrong), ['[A-1] a'])).toEqual([
    '54 has neither tests nor a reason',
    '53 cites an unknown test: [A-1] gone',
  ])
  expect(problemsOf(readStatements(all.slice(1).join('\n')), ['[A-1] a'])).toEqual(['53 is missing or listed twice'])
})
