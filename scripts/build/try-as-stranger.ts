// Installs our tarballs into an empty folder and uses them: once from plain JavaScript, once from strict TypeScript.
//
// The stranger has none of our sources, conditions or compiler settings. It checks that what the index lists is what
// arrives: every value when the module runs, every type when a consumer is compiled with its libraries checked too.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { publicExports } from '../public-exports.ts'
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
}

function useInJavaScript({ name, folder }: Published, index: number): string {
  const expected = listed(folder).filter((line) => !line.startsWith('type '))
  return `
import * as package${index} from '${name}'
{
  const found = Object.keys(package${index}).sort().join(' ')
  const expected = ${JSON.stringify(expected.sort().join(' '))}
  if (found !== expected) throw new Error('${name} exports ' + found + ' instead of ' + expected)
}`
}

function useInTypeScript({ name, folder }: Published, index: number): string {
  const names = listed(folder).map((line) => `${line} as ${line.replace('type ', '')}_${index}`)
  return `export { ${names.join(', ')} } from '${name}'`
}

function listed(folder: string): string[] {
  const path = `${folder}/src/index.ts`
  return publicExports(path, readFileSync(path, 'utf8'))
}
