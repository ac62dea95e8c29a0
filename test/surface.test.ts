// Compares the exports of each package, types included, and the commands of the program with the lists in test/surface/.
//
// An intended change is accepted with
//   npx vitest run test/surface.test.ts -u
// and the changed list is reviewed and committed together with the code.
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine, everyCommand } from '../packages/gateway/src/program/program.ts'
import { publicExports } from '../scripts/public-exports.ts'
import { entriesOf, readText, readWorkspace } from './workspace.ts'

const howToAccept = 'if this is intended, run: npx vitest run test/surface.test.ts -u'

for (const { name, folder, path } of entriesOf(readWorkspace())) {
  test(`[HOUSE-9] ${name} exports the names in its list (${howToAccept})`, async () => {
    const list = publicExports(path, readText(path))
    const entry = basename(path, '.ts')
    const file = entry === 'index' ? folder : `${folder}-${entry}`
    await expect(list.map((line) => `${line}\n`).join('')).toMatchFileSnapshot(`surface/${file}.txt`)
  })
}

test(`[HOUSE-9] the program has the commands and options in its list (${howToAccept})`, async () => {
  const terminal = { out: nothing, err: nothing, variables: {}, isOutColoured: false, isErrColoured: false }
  const list = everyCommand(commandLine(terminal, nothing)).map(usageOf).sort()
  await expect(list.map((line) => `${line}\n`).join('')).toMatchFileSnapshot('surface/commands.txt')
})

const nothing = () => undefined

/** `assent servers [-c, --config <file>] [--json]`. */
type Command = ReturnType<typeof everyCommand>[number]

function usageOf(command: Command): string {
  const names: string[] = []
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name())
  const given = command.registeredArguments.map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name()
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [...names, ...given, ...command.options.map(({ flags }) => `[${flags}]`)].join(' ')
}

test('[HOUSE-9] every export syntax is listed, and types are marked', () => {
  const text = `
    export { a, b as c, type D, type E as F } from './x.ts'
    export type { G } from './x.ts'
    export const h = 1, i = 2
    export function j() {}
    export class K {}
    export interface L {}
    export type M = string
    export default h
    const n = 1
    export { n }
    // export { notThis } from './x.ts'
  `
  expect(publicExports('index.ts', text)).toEqual(
    ['a', 'c', 'default', 'h', 'i', 'j', 'K', 'n', 'type D', 'type F', 'type G', 'type L', 'type M'].sort(),
  )
})

test.each([`export * from './x.ts'`, `export * as x from './x.ts'`, `export const { a } = b`, `export {`])(
  '[HOUSE-9] an index whose names cannot be listed is refused: %s',
  (text) => {
    expect(() => publicExports('index.ts', text)).toThrow(SyntaxError)
  },
)
