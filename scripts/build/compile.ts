// Compiles one package into its `dist`, file by file; there is no bundler.
import { rmSync } from 'node:fs'
import type { Published } from './published.ts'
import { run } from './run.ts'

export function compile({ name, folder }: Published): void {
  rmSync(`${folder}/dist`, { recursive: true, force: true })
  run('tsc', ['-p', `${folder}/tsconfig.build.json`])
  console.log(`build: ${name} compiled`)
}
