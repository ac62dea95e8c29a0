// Prints the changes of a version from CHANGELOG.md: `node scripts/release/notes.ts v0.1.0`. Needs no installed packages.
import { readFileSync } from 'node:fs'
import { sectionOf } from './changelog.ts'

const version = (process.argv[2] ?? '').replace(/^v/, '')
const changes = sectionOf(readFileSync('CHANGELOG.md', 'utf8'), version)
if (changes === undefined) {
  console.error(`notes: CHANGELOG.md has no section for "${version}"`)
  process.exit(1)
}
console.log(changes)
