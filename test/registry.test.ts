// Checks how `npm run registry` reads pages: which blocks a reader runs, and which are illustrations.
import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type PageStep, stepsOf, withoutComment } from '../scripts/registry/page-steps.ts'
import { behaviourFor } from '../scripts/registry/person.ts'
import { readText } from './workspace.ts'

const command = (text: string): PageStep => ({ kind: 'command', text })

describe('the steps of a page', () => {
  test('[RELEASE-1] each line of a block of commands is a step, without comments and empty lines', () => {
    const page = 'Text\n\n```sh\nnpx a b   # comment\n\n# only a comment\nnpm i \\\n  x\n```\n\n```yaml\na: b\n```\n'
    expect(stepsOf(page)).toEqual([command('npx a b   # comment'), command('npm i x')])
    expect(withoutComment('npx a b   # comment')).toBe('npx a b')
  })

  test('[RELEASE-1] a block that is marked as not run is an illustration', () => {
    const page = '<!-- not run: needs a checkout -->\n\n```sh\nnpm ci\n```\n\n```sh\nnpx a\n```\n'
    expect(stepsOf(page)).toEqual([command('npx a')])
  })

  test('[RELEASE-1] a file is saved before the command of its sentence runs', () => {
    const block = '<!-- examples/x/try.ts -->\n\n```ts\nawait 1\n```\n'
    const saved: PageStep = { kind: 'file', name: 'try.ts', text: 'await 1\n' }
    const page = `Save this as \`try.ts\`, and run it with \`node try.ts\`.\n\n${block}\nLater, run it with \`node --test\`.\n`
    expect(stepsOf(page)).toEqual([saved, command('node try.ts'), command('node --test')])
    expect(stepsOf(`Not to be saved:\n\n${block}`)).toEqual([])
  })

  test('[RELEASE-1] a configuration is saved, and only the block that follows its name', () => {
    const page = 'Save this as `a.yaml`:\n\n```yaml\na: b\n```\n\nOr:\n\n```yaml\nc: d\n```\n\n```sh\nnpx a\n```\n'
    expect(stepsOf(page)).toEqual([{ kind: 'file', name: 'a.yaml', text: 'a: b\n' }, command('npx a')])
  })

  test('[RELEASE-1] a block inside a list is read too', () => {
    expect(stepsOf('1. First:\n\n   ```sh\n   npx a\n   ```\n\n2. Then:\n')).toEqual([command('npx a')])
  })

  test('[RELEASE-1] a gateway stays open until the end of its page', () => {
    const link = 'Sign in: http://127.0.0.1:7420/#code=abc'
    expect(link).toMatch(behaviourFor('npx assent gateway').staysOpenAfter)
    expect(link).not.toMatch(behaviourFor('npx assent try').staysOpenAfter)
  })

  test('[RELEASE-1] an unknown command must exit with 0, and a known one must print its result', () => {
    expect(behaviourFor('npm install x')).toMatchObject({ codes: [0] })
    expect('The person said no.').not.toMatch(behaviourFor('npx assent try').prints)
    expect('   The person said yes.').toMatch(behaviourFor('npx assent try').prints)
  })
})

test('[RELEASE-2] the README and the start pages have commands, all in blocks that npm run registry reads', () => {
  const startPages = globSync('docs/start/**/*.md')
  const pages = ['README.md', ...startPages]
  const commands = pages.flatMap((page) => stepsOf(readText(page))).filter(({ kind }) => kind === 'command')
  expect(startPages.length).toBeGreaterThan(0)
  expect(commands).toContainEqual(command(expect.stringMatching(/^npx assent try\b/)))
  for (const page of pages) expect(readText(page), page).not.toMatch(/^```(bash|shell|console|zsh)$/m)
})
