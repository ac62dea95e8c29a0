// The packages that are published, each after those it depends on.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Published {
  readonly name: string
  readonly folder: string
  readonly dependsOn: readonly string[]
  /** Its entry points: the name to import, and the source file that lists the exports. */
  readonly entries: readonly { readonly name: string; readonly source: string }[]
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly 'assent-source': string }>>
  readonly dependencies?: Readonly<Record<string, string>>
}

export function publishedPackages(): Published[] {
  const found = globSync('packages/*/package.json').flatMap((file): Published[] => {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (manifest.private === true) return []
    const { name, exports, dependencies = {} }: Manifest = manifest
    const folder = dirname(file)
    const entries = Object.entries(exports).map(([subpath, { 'assent-source': source }]) => ({
      name: name + subpath.slice(1),
      source: join(folder, source),
    }))
    return [{ name, folder, dependsOn: Object.keys(dependencies), entries }]
  })
  return inOrder(found)
}

function inOrder(packages: readonly Published[]): Published[] {
  const ordered: Published[] = []
  while (ordered.length < packages.length) {
    const isReady = ({ dependsOn }: Published) =>
      packages.every(({ name }) => !dependsOn.includes(name) || ordered.some((done) => done.name === name))
    const next = packages.find((candidate) => !ordered.includes(candidate) && isReady(candidate))
    if (next === undefined) throw new Error('The published packages depend on each other in a circle.')
    ordered.push(next)
  }
  return ordered
}
