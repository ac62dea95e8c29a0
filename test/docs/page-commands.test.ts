// Checks that every command of the README and the start pages is run by a test, or is listed with a reason.
import { expect, test } from 'vitest'
import { readText } from '../workspace.ts'
import { canRunHere, commandPages, commandsOf, isRunHere, listProblems } from './page-commands.ts'

test('[SITE-10] every command of the README and the start pages is run by a test, or listed with a reason', () => {
  const pages = commandPages.map(readText)
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.flatMap(commandsOf).length).toBeGreaterThan(40)
  expect(pages.flatMap(commandsOf).filter((line) => isRunHere(line) && !canRunHere(line))).toEqual([])
  expect(listProblems(pages)).toEqual([])
})

test('[SITE-10] a command that no test runs is found, in a block and in the text', () => {
  const page =
    '```sh\nnpx assent try   # a question\ncurl -O a\n```\n\nRun `npm run fly`, or `assent init --all`; not `npm error code`.\n'
  const found = commandsOf(page)
  expect(found).toEqual(['assent try', 'curl -O a', 'npm run fly', 'assent init --all'])
  expect(found.filter((line) => isRunHere(line) && !canRunHere(line))).toEqual(['curl -O a', 'npm run fly'])
  expect(listProblems([page])).toContain('no page names npm run demo')
})
