// Checks the packages as they would be published.
//
// publint and "are the types wrong" check each tarball, and its size must be within its budget. All tarballs are installed together into an empty folder, and the
// program is started there: its version, a gateway over HTTP, and a server for a client over stdio, in both protocol
// generations. With --built, the output of an earlier `npm run build` is used.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { inKb, installProblems, sizeProblems } from './build/budget.ts'
import { builtPackages } from './build/built.ts'
import { run } from './build/run.ts'
import { pack, problemsWith } from './build/tarball.ts'
import { tryProgram } from './build/try-program.ts'

const startedAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'assent-pack-'))
try {
  const packages = builtPackages()
  const tarballs: string[] = []
  for (const published of packages) {
    const { path, files, size } = pack(published, folder)
    const problems = [...problemsWith(files), ...sizeProblems(published.name, size), ...(await lintProblems(path))]
    if (problems.length > 0) throw new Error(`The tarball of ${published.name} has problems:\n${problems.join('\n')}`)
    // Its report about each way to import is printed only if one of them is wrong.
    run('attw', [path, '--profile', 'esm-only', '--no-color'])
    tarballs.push(path)
    const sizes = `${inKb(size.packed)} packed, ${inKb(size.unpacked)} unpacked`
    console.log(`pack: ${published.name}: ${files.length} files, ${sizes}, publint and attw found no problems`)
  }
  const home = join(folder, 'clean')
  mkdirSync(home)
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline', '--prefix', home, ...tarballs],
    home,
  )
  const { packages: count, bytes } = installedIn(home)
  const tooMuch = installProblems(count, bytes)
  if (tooMuch.length > 0) throw new Error(`The installation is too large:\n${tooMuch.join('\n')}`)
  console.log(`pack: ${count} packages installed, ${inKb(bytes)}`)
  for (const said of await tryProgram(home)) console.log(`pack: ${said}`)
  mkdirSync('dist', { recursive: true })
  for (const path of tarballs) copyFileSync(path, join('dist', basename(path)))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`pack: ${tarballs.length} tarballs are in dist/, ready to publish; took ${seconds} s`)
} catch (error) {
  console.error(`pack: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Counts what npm installed, our own packages included. */
function installedIn(home: string): { packages: number; bytes: number } {
  const { packages } = JSON.parse(readFileSync(join(home, 'node_modules', '.package-lock.json'), 'utf8'))
  const entries = readdirSync(join(home, 'node_modules'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return { packages: Object.keys(packages).length, bytes }
}

async function lintProblems(path: string): Promise<string[]> {
  const bytes = readFileSync(path)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}
