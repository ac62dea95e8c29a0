// Publishes the tarballs in dist/ to npm, each package after those it depends on: `npm run release:publish`.
//
// Runs in the release workflow, where npm verifies the identity of the workflow (trusted publishing) and records the
// provenance. A version that the registry already has is skipped, so a run that failed halfway can be repeated.
// With --dry-run, npm checks the tarballs and uploads nothing.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { publishedPackages } from '../build/published.ts'
import { run } from '../build/run.ts'
import { readProject, tarballPath } from './project.ts'

const { version } = readProject()
const isDryRun = process.argv.includes('--dry-run')
const packages = publishedPackages().map(({ name }) => ({ name, tarball: tarballPath(name, version) }))

try {
  const missing = packages.filter(({ tarball }) => !existsSync(tarball)).map(({ tarball }) => tarball)
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}. Run: npm run pack:check`)
  for (const { name, tarball } of packages) {
    if (!isDryRun && isPublished(name)) {
      console.log(`publish: ${name}@${version} is already published`)
      continue
    }
    // A version such as 0.2.0-rc.1 must not become what `npm install` selects.
    const tag = version.includes('-') ? 'next' : 'latest'
    const mode = isDryRun ? ['--dry-run'] : ['--provenance']
    run('npm', ['publish', tarball, '--access', 'public', '--tag', tag, '--ignore-scripts', ...mode])
    console.log(`publish: ${name}@${version}${isDryRun ? ' would be published' : ' published'}`)
  }
} catch (error) {
  console.error(`publish: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** Only "not found" means no; a registry that does not answer stops the release. */
function isPublished(name: string): boolean {
  const { status, stdout, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' })
  if (status === 0) return stdout.trim() === version
  if (stderr.includes('E404')) return false
  throw new Error(`npm view ${name}@${version} failed:\n${stderr}`)
}
