// Writes the software bill of materials of `assent` in CycloneDX format to dist/: `npm run sbom`.
//
// It covers the dependencies that npm installs with the packages, and those that are built into the web app. Fails if it does not
// list every package that the lock file has for them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { run } from './build/run.ts'
import { licencesIn } from './release/licences.ts'
import { readProject } from './release/project.ts'

interface Component {
  readonly 'bom-ref': string
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

const { version } = readProject()
// Not `--omit dev`: npm then also leaves out dependencies of a package that the root lists for development.
const bill = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--workspaces', '--include-workspace-root']))
const shipped = new Set(
  licencesIn(readFileSync('package-lock.json', 'utf8')).map((one) => `${one.name}@${one.version}`),
)
const isShipped = (ref: string) => shipped.has(ref) || ref === bill.metadata.component['bom-ref']
bill.components = bill.components.filter((component: Component) => isShipped(component['bom-ref']))
bill.dependencies = bill.dependencies
  .filter(({ ref }: Dependency) => isShipped(ref))
  .map(({ ref, dependsOn }: Dependency) => ({ ref, dependsOn: dependsOn.filter(isShipped) }))
const listed = new Set(bill.components.map((component: Component) => component['bom-ref']))
const missing = [...shipped].filter((ref) => !listed.has(ref))
if (missing.length > 0) throw new Error(`The bill of materials does not list ${missing.join(', ')}.`)
// npm names the root after its folder.
bill.metadata.component = {
  ...bill.metadata.component,
  type: 'application',
  name: 'assent',
  version,
  purl: `pkg:npm/assent@${version}`,
}
mkdirSync('dist', { recursive: true })
const file = `dist/assent-${version}.cdx.json`
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
console.log(`sbom: ${file}, ${bill.components.length} components`)
