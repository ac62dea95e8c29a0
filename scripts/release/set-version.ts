// Sets the version of all packages and manifests: `npm run release:version -- 0.2.0`.
//
// Moves the unreleased changes in CHANGELOG.md into a section for the version. `npm run manifests` then copies the version
// everywhere. With a version that is already set, only the changelog changes.
import { readFileSync, writeFileSync } from 'node:fs'
import { run } from '../build/run.ts'
import { released } from './changelog.ts'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
  console.error('usage: npm run release:version -- <version, such as 0.2.0>')
  process.exit(2)
}
try {
  const date = new Date().toISOString().slice(0, 10)
  const changelog = released(readFileSync('CHANGELOG.md', 'utf8'), version, date)
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync('CHANGELOG.md', changelog)
  writeFileSync('package.json', `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  // A separate process, because modules read the version when they are loaded.
  console.log(run('npm', ['run', '--silent', 'manifests']).trim())
  // The pages about clients contain the version.
  console.log(run('npm', ['run', '--silent', 'docs']).trim())
  console.log(`release: version ${version} is set. Review the changes, commit them and push the tag v${version}.`)
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
