// Finds the titles of all tests in a set of files by parsing them; no test is run.
//
// A test is a call of vitest's `test` or `it` under any local name, or a call of a function of ours that passes its
// title to one, such as `onEachEngine('[STORE-1] …', …)`, in the file that declares it or in one that imports it. A title
// whose beginning is computed at run time is returned as null, and judge.ts reports it.
import { posix } from 'node:path'
import { type CallExpression, type ParamPattern, type Program, parseSync, type Span, Visitor } from 'oxc-parser'
import type { SourceFile } from '../workspace.ts'
import { beginningOf, type Callee, calleeOf, isSilent, takesNoTitle, variableAtStartOf } from './calls.ts'

export interface TestTitle {
  readonly file: string
  readonly line: number
  /** The constant beginning of the title. */
  readonly title: string | null
  /** False if the test is skipped, still to do or expected to fail: then it shows nothing. */
  readonly shows: boolean
}

/** A function that passes one of its parameters to `test` as the beginning of the title. */
interface Maker extends Span {
  readonly name: string
  readonly parameter: string
  readonly position: number
}

interface Parsed {
  readonly file: SourceFile
  readonly program: Program
  readonly tests: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly makers: readonly Maker[]
}

/** Members of `test` that do not declare a test. */
const isNoTest = ['beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'aroundEach', 'aroundAll', 'describe', 'suite']

export function titlesIn(files: readonly SourceFile[]): TestTitle[] {
  const parsed = files.map(parse)
  const makersByPath = new Map(parsed.map(({ file, makers }) => [file.path, makers]))
  return parsed.flatMap((one) => titlesInOne(one, makersByPath))
}

function titlesInOne(parsed: Parsed, makersByPath: ReadonlyMap<string, readonly Maker[]>): TestTitle[] {
  const { file, program } = parsed
  const positions = positionsOfTitles(parsed, makersByPath)
  const titles: (TestTitle & Span)[] = []
  const skipped: Span[] = []
  for (const [call, callee] of callsIn(program)) {
    const silent = isSilent(call, callee)
    if (parsed.groups.has(callee.root) && silent) skipped.push(call)
    const position = isTest(parsed, callee) ? 0 : positions.get(callee.root)
    if (position === undefined) continue
    const title = call.arguments[position]
    if (isHandedOn(call, title, parsed.makers)) continue
    const line = file.text.slice(0, call.start).split('\n').length
    const { start, end } = call
    titles.push({ file: file.path, line, title: beginningOf(title), shows: !silent, start, end })
  }
  return titles.map(({ file, line, title, shows, start, end }) => {
    const isSkipped = skipped.some((group) => group.start <= start && end <= group.end)
    return { file, line, title, shows: shows && !isSkipped }
  })
}

function parse(file: SourceFile): Parsed {
  const { program, errors } = parseSync(file.path, file.text)
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${file.path} cannot be parsed: ${error.message}`)
  const { tests, groups } = namesFromVitest(program)
  return { file, program, tests, groups, makers: makersIn(program, tests) }
}

/** The local names of `test`, `it` and `describe` in this file, including extended ones. */
function namesFromVitest(program: Program): { tests: Set<string>; groups: Set<string> } {
  const tests = new Set<string>()
  const groups = new Set<string>()
  new Visitor({
    ImportDeclaration(node) {
      if (node.source.value !== 'vitest') return
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue
        if (['test', 'it'].includes(specifier.imported.name)) tests.add(specifier.local.name)
        if (['describe', 'suite'].includes(specifier.imported.name)) groups.add(specifier.local.name)
      }
    },
    VariableDeclarator(node) {
      const made = calleeOf(node.init)
      if (made === null || node.id.type !== 'Identifier') return
      if (tests.has(made.root)) tests.add(node.id.name)
      if (groups.has(made.root)) groups.add(node.id.name)
    },
  }).visit(program)
  return { tests, groups }
}

function makersIn(program: Program, tests: ReadonlySet<string>): Maker[] {
  const makers: Maker[] = []
  const testCalls = callsIn(program).filter(([, callee]) => tests.has(callee.root))
  const consider = (name: string, params: readonly ParamPattern[], { start, end }: Span) => {
    for (const [call] of testCalls) {
      if (call.start < start || end < call.end) continue
      const parameter = variableAtStartOf(call.arguments[0])
      const position = params.findIndex((param) => param.type === 'Identifier' && param.name === parameter)
      if (parameter !== null && position >= 0) makers.push({ name, parameter, position, start, end })
    }
  }
  new Visitor({
    FunctionDeclaration(node) {
      if (node.id !== null) consider(node.id.name, node.params, node)
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || init === null) return
      if (init.type === 'ArrowFunctionExpression' || init.type === 'FunctionExpression') {
        consider(id.name, init.params, init)
      }
    },
  }).visit(program)
  return makers
}

/** By local name: the position of the title among the arguments of each maker that is declared or imported here. */
function positionsOfTitles(
  { file, program, makers }: Parsed,
  makersByPath: ReadonlyMap<string, readonly Maker[]>,
): Map<string, number> {
  const positions = new Map(makers.map(({ name, position }) => [name, position]))
  new Visitor({
    ImportDeclaration(node) {
      const from = posix.join(posix.dirname(file.path), node.source.value)
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue
        const { name } = specifier.imported
        const maker = makersByPath.get(from)?.find((candidate) => candidate.name === name)
        if (maker !== undefined) positions.set(specifier.local.name, maker.position)
      }
    },
  }).visit(program)
  return positions
}

function isTest({ tests }: Parsed, { root, modifiers }: Callee): boolean {
  return tests.has(root) && !modifiers.some((name) => isNoTest.includes(name))
}

/** Inside a maker the title comes from its caller, and is checked there. */
function isHandedOn(call: Span, title: unknown, makers: readonly Maker[]): boolean {
  const variable = variableAtStartOf(title)
  return makers.some(({ parameter, start, end }) => parameter === variable && start <= call.start && call.end <= end)
}

function callsIn(program: Program): [CallExpression, Callee][] {
  const calls: [CallExpression, Callee][] = []
  new Visitor({
    CallExpression(call) {
      const callee = calleeOf(call.callee)
      if (callee !== null && !takesNoTitle(call, callee)) calls.push([call, callee])
    },
  }).visit(program)
  return calls
}
