// Builds the MCP bundle: the program with all its dependencies, in one file that a desktop client installs.
//
// The vendor's own tool validates it; then it is unpacked, and its program is started.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { builtPackages } from './build/built.ts'
import { run } from './build/run.ts'
import { pack } from './build/tarball.ts'

const startedAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'assent-bundle-'))
try {
  const packages = builtPackages()
  const tarballs = packages.map((published) => pack(published, folder).path)
  const content = join(folder, 'content')
  const server = join(content, 'server')
  mkdirSync(server, { recursive: true })
  const install = [
    'install',
    '--no-audit',
    '--no-fund',
    '--omit=dev',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-package-lock',
  ]
  run('npm', [...install, '--prefix', server, ...tarballs], server)
  copyFileSync('integrations/mcpb/manifest.json', join(content, 'manifest.json'))
  copyFileSync('LICENSE', join(content, 'LICENSE'))

  const { version } = JSON.parse(readFileSync('integrations/mcpb/manifest.json', 'utf8'))
  mkdirSync('dist', { recursive: true })
  const file = resolve('dist', `assent-${version}.mcpb`)
  run('mcpb', ['validate', join(content, 'manifest.json')])
  run('mcpb', ['pack', content, file])

  const unpacked = join(folder, 'unpacked')
  run('mcpb', ['unpack', file, unpacked])
  const { server: launch } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  const said = run(process.execPath, [join(unpacked, launch.entry_point), '--version'], folder).trim()
  if (said !== version) throw new Error(`The program in the bundle reports version ${said}.`)
  const megabytes = (statSync(file).size / 1_048_576).toFixed(1)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `bundle: ${file.slice(resolve('.').length + 1)}, ${megabytes} MB, unpacked and started; took ${seconds} s`,
  )
} catch (error) {
  console.error(`bundle: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
