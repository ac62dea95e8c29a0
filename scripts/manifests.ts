// Generates the manifests for registries and clients, and the install links in the docs, from the manifest of `assent`.
// Before that, copies the version and the addresses of the project from the root's manifest into those of the packages.
// With --validate, nothing is written: the manifests are checked with the validators of their vendors.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { readAbout } from './manifests/about.ts'
import { manifestFiles } from './manifests/files.ts'
import { linksPage, withLinks } from './manifests/links.ts'
import { validateManifests } from './manifests/validate.ts'
import { lockWithVersion, withProject } from './release/package-manifests.ts'
import { readProject } from './release/project.ts'

const { values } = parseArgs({ options: { validate: { type: 'boolean' }, schemas: { type: 'string' } } })

if (values.validate === true)
  for (const line of await validateManifests(values.schemas)) console.log(`manifests: ${line}`)
else writeManifests()

function writeManifests(): void {
  const project = readProject()
  for (const path of globSync('packages/*/package.json'))
    writeFileSync(path, withProject(readFileSync(path, 'utf8'), dirname(path), project))
  writeFileSync('package-lock.json', lockWithVersion(readFileSync('package-lock.json', 'utf8'), project.version))

  const files = manifestFiles(readAbout())
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  writeFileSync(linksPage, withLinks(readFileSync(linksPage, 'utf8')))
  console.log(`manifests: ${Object.keys(files).length} files and the links in ${linksPage} written`)
}
