// Builds every published package, and tests the result.
//
// `tsc` writes JavaScript and declarations, file by file; there is no bundler. Then each package is packed, the list of
// files is checked, and the tarballs are installed into an empty folder, where plain JavaScript and a strict TypeScript
// consumer use them as an external user would.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from './build/compile.ts'
import { type Published, publishedPackages } from './build/published.ts'
import { pack, problemsWith } from './build/tarball.ts'
import { followGuide, tryAlone, tryAsStranger } from './build/try-as-stranger.ts'
import { buildWebApp } from './inbox/web-app.ts'

const startedAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'assent-build-'))
try {
  const packages = publishedPackages()
  for (const published of packages) compile(published)
  buildWebApp()
  console.log('build: the web app of the inbox')
  const tarballs = packages.map((published) => checkedTarball(published, folder))
  tryAsStranger(folder, packages, tarballs)
  followGuide(folder)
  console.log('build: the example of the guide "Ask your first question" works')
  for (const published of packages) {
    tryAlone(folder, published, packages, new Map(packages.map(({ name }, index) => [name, tarballs[index] ?? ''])))
    console.log(`build: ${published.name} installs alone`)
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`build: installed and used from JavaScript and TypeScript; took ${seconds} s`)
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function checkedTarball(published: Published, into: string): string {
  const { path, files } = pack(published, into)
  const problems = problemsWith(files)
  if (problems.length > 0) throw new Error(`${published.name} has wrong files in its tarball:\n${problems.join('\n')}`)
  console.log(`build: ${published.name} packed, ${files.length} files`)
  return path
}
