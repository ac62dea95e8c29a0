// The packages that are published, each after those it depends on.
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Published {
  readonly name: string
  readonly folder: string
  readonly dependsOn: readonly string[]
}

export function publishedPackages(): Published[] {
  const found = globSync('packages/*/package.json').flatMap((file): Published[] => {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (manifest.private === true) return []
    return [{ name: manifest.name, folder: dirname(file), dependsOn: Object.keys(manifest.dependencies ?? {}) }]
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
