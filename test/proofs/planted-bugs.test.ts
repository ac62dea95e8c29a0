// Checks that the planted bugs of `prove -- consent` still match the sources. The proof patches built code, so without
// this test a rename would be noticed only when the proof plants the bug.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import type { PlantedBug } from '../../proofs/consent/installed.ts'
import { sections } from '../../proofs/consent/run.ts'
import { publishedPackages } from '../../scripts/build/published.ts'

const folders = new Map(publishedPackages().map(({ name, folder }) => [name, folder]))
const bugs = sections.flatMap((section) => section.bugs)

/** What is wrong with a planted bug; undefined if it changes exactly one place and uses only names that exist there. */
function problemOf(bug: PlantedBug, code: string): string | undefined {
  const { from } = bug
  const matches =
    typeof from === 'string' ? code.split(from).length - 1 : [...code.matchAll(new RegExp(from, 'g'))].length
  if (matches !== 1) return `its pattern matches ${matches} times`
  const { errors } = parseSync('changed.js', code.replace(from, bug.to))
  if (errors[0] !== undefined) return `the changed code cannot be parsed: ${errors[0].message}`
  const unknown = namesIn(bug.to).find((name) => !code.includes(name))
  return unknown === undefined ? undefined : `its replacement uses ${unknown}, which is not in the file`
}

/** The private members and variables that a replacement uses and does not declare. */
function namesIn(replacement: string): string[] {
  const code = replacement.replaceAll(/'[^']*'|"[^"]*"|\/[^/\n]+\/(?=\.)|\$\d/g, '')
  const declared = [...code.matchAll(/const (?:\[, )?(\w+)/g)].map(([, name]) => name)
  const used = [...code.matchAll(/(?<![\w.])\w+|#\w+/g)].map(([name]) => name)
  return used.filter((name) => !declared.includes(name) && !/^\d/.test(name) && !syntax.has(name))
}

const syntax = new Set('async await const export false function if return this true undefined ok session'.split(' '))

/** The source of a built file without types, and with single spaces, as the compiler prints it. */
function builtFrom({ package: name, file }: PlantedBug): string {
  const source = join(folders.get(name) ?? name, file.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts'))
  const code = stripTypeScriptTypes(readFileSync(source, 'utf8'))
  return code.replaceAll(/(?<=\S)[ \t]+/g, ' ').replaceAll(/ (?=[,)])/g, '')
}

test.each(bugs.map((bug) => [bug.name, bug] as const))(
  '[HOUSE-18] the planted bug "%s" changes exactly one place of the code',
  (_, bug) => {
    expect(problemOf(bug, builtFrom(bug))).toBeUndefined()
  },
)

test('[HOUSE-18] a pattern that matches nothing or twice, and a replacement with an unknown name, are reported', () => {
  const bug: PlantedBug = {
    name: 'x',
    package: 'assent',
    file: 'dist/x.js',
    from: 'return isYes(answer)',
    to: 'return true',
  }
  const code = 'function decide(answer) { return isYes(answer) }'
  expect(problemOf(bug, code)).toBeUndefined()
  expect(problemOf(bug, code.replaceAll('isYes', 'isApproval'))).toBe('its pattern matches 0 times')
  expect(problemOf(bug, `${code}\n${code}`)).toBe('its pattern matches 2 times')
  expect(problemOf({ ...bug, to: 'return reply.isYes' }, code)).toBe(
    'its replacement uses reply, which is not in the file',
  )
  expect(problemOf({ ...bug, to: 'return (' }, code)).toMatch('the changed code cannot be parsed')
})
