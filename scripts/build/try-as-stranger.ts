// Installs our tarballs into an empty folder and uses them: once from plain JavaScript, once from strict TypeScript.
//
// The consumer has none of our sources, conditions or compiler settings. Checks that every name in the index is exported:
// values by running the module, types by compiling a consumer with library checks; and that the command runs.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { publicExports } from '../public-exports.ts'
import { readProject } from '../release/project.ts'
import type { Published } from './published.ts'
import { run } from './run.ts'

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
}

export function tryAsStranger(folder: string, packages: readonly Published[], tarballs: readonly string[]): void {
  const home = join(folder, 'stranger')
  mkdirSync(home)
  const write = (name: string, content: string) => writeFileSync(join(home, name), content)

  write('package.json', JSON.stringify({ name: 'stranger', private: true, type: 'module' }))
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...tarballs], home)

  write('use.js', packages.map(useInJavaScript).join('\n'))
  run(process.execPath, ['use.js'], home)

  write('use.ts', packages.map(useInTypeScript).join('\n'))
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  run('tsc', ['-p', join(home, 'tsconfig.json')])

  write(
    'assent.yaml',
    '# yaml-language-server: $schema=./node_modules/assent/assent.schema.json\nservers: { a: { command: b } }',
  )
  tryCommand(home, ['--version'], readProject().version)
  tryCommand(home, ['config', 'check'], 'no problems')
}

/** Runs the command by its name, as a shell does. */
function tryCommand(home: string, words: readonly string[], expected: string): void {
  const output = run(join(home, 'node_modules', '.bin', 'assent'), words, home)
  if (!output.includes(expected)) throw new Error(`assent ${words.join(' ')} printed ${output}`)
}

/** The steps of the guide in an empty folder, with the same files, packages and compiler settings. */
export function followGuide(folder: string): void {
  // Below the folder that has the tarballs installed.
  const home = join(folder, 'stranger', 'first-question')
  cpSync('examples/first-question', home, { recursive: true })
  const others = ['server', 'node', 'client'].map((name) => `@modelcontextprotocol/${name}`)
  const packages = [...others, 'zod', '@types/node'].map((name) => `${name}@${installedVersion(name)}`)
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...packages], dirname(home))
  run('tsc', ['--init', '--types', 'node', '--rewriteRelativeImportExtensions'], home)
  run('tsc', ['--noEmit'], home)
  run(process.execPath, ['--test'], home)
  // There is no terminal here, so the tool must report that no person could be asked.
  const output = run(process.execPath, ['try.ts'], home)
  if (!output.includes('No person could be asked')) throw new Error(`The first example of the guide printed: ${output}`)
  writeFileSync(join(home, 'call-over-http.js'), callOverHttp)
  const answers = run(process.execPath, ['call-over-http.js'], home)
  if (answers.split('Hello, Ada!').length !== 3) throw new Error(`The client of the guide printed: ${answers}`)
}

/** Starts the server of the guide on a free port, and runs the client of the guide. */
const callOverHttp = `
import { once } from 'node:events'
import { createServer } from 'node:net'
const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
process.env.PORT = String(free.address().port)
await new Promise((resolve) => free.close(resolve))
await import('./http.ts')
await import('./client.ts')
process.exit()
`

function installedVersion(name: string): string {
  return JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).version
}

/** Installs one package and the packages of ours that it needs into its own folder, and checks that no others come with it. */
export function tryAlone(
  folder: string,
  published: Published,
  packages: readonly Published[],
  tarballs: ReadonlyMap<string, string>,
): void {
  const home = join(folder, `alone-${published.folder.replaceAll('/', '-')}`)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'alone', private: true, type: 'module' }))
  const needed = neededBy(published, packages)
  const wanted = needed.flatMap((name) => tarballs.get(name) ?? [])
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...wanted], home)
  const ours = readdirSync(join(home, 'node_modules', '@assent')).map((name) => `@assent/${name}`)
  const unasked = ours.filter((name) => !needed.includes(name))
  if (unasked.length > 0) throw new Error(`${published.name} also brought ${unasked.join(', ')}`)
  writeFileSync(join(home, 'use.js'), useInJavaScript(published, 0))
  run(process.execPath, ['use.js'], home)
}

/** The package itself and, recursively, the packages of ours that it depends on. */
function neededBy({ name, dependsOn }: Published, packages: readonly Published[]): string[] {
  const ours = packages.filter((one) => dependsOn.includes(one.name))
  return [...new Set([name, ...ours.flatMap((one) => neededBy(one, packages))])]
}

function useInJavaScript({ entries }: Published, index: number): string {
  return entries.map(({ name, source }, at) => checkExports(name, source, `package${index}_${at}`)).join('\n')
}

function checkExports(name: string, source: string, as: string): string {
  const expected = listed(source).filter((line) => !line.startsWith('type '))
  return `
import * as ${as} from '${name}'
{
  const found = Object.keys(${as}).sort().join(' ')
  const expected = ${JSON.stringify(expected.sort().join(' '))}
  if (found !== expected) throw new Error('${name} exports ' + found + ' instead of ' + expected)
}`
}

function useInTypeScript({ entries }: Published, index: number): string {
  return entries
    .map(({ name, source }, at) => {
      const names = listed(source).map((line) => `${line} as ${line.replace('type ', '')}_${index}_${at}`)
      return `export { ${names.join(', ')} } from '${name}'`
    })
    .join('\n')
}

function listed(source: string): string[] {
  return publicExports(source, readFileSync(source, 'utf8'))
}
