// Generates the manifests for registries and clients, and the install links in the README, from the manifest of `assent`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readAbout } from './manifests/about.ts'
import { manifestFiles } from './manifests/files.ts'
import { withLinks } from './manifests/links.ts'

const files = manifestFiles(readAbout())
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
writeFileSync('README.md', withLinks(readFileSync('README.md', 'utf8')))
console.log(`manifests: ${Object.keys(files).length} files and the links in the README written`)
