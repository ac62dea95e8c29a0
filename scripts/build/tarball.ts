// Packs a package with npm, and checks the files in the tarball.
//
// Packs a copy, because the export condition `assent-source` refers to our sources, which are not published; the
// published manifest does not contain it.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Size } from './budget.ts'
import type { Published } from './published.ts'
import { run } from './run.ts'

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

export function pack({ name, folder }: Published, into: string): { path: string; files: string[]; size: Size } {
  const copy = join(into, 'copies', basename(folder))
  mkdirSync(copy, { recursive: true })
  cpSync(folder, copy, { recursive: true, filter: (path) => !['node_modules', 'src'].includes(basename(path)) })
  writeFileSync(join(copy, 'package.json'), publishedManifest(readFileSync(join(folder, 'package.json'), 'utf8')))
  const printed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], copy)
  const packed = onlyOne(JSON.parse(printed))
  if (packed === undefined) throw new Error(`npm packed nothing for ${name}`)
  const size = { packed: packed.size, unpacked: packed.unpackedSize }
  return { path: join(into, packed.filename), files: packed.files.map(({ path }) => path), size }
}

function publishedManifest(text: string): string {
  const manifest = JSON.parse(text)
  for (const conditions of Object.values<Record<string, string>>(manifest.exports)) delete conditions['assent-source']
  return `${JSON.stringify(manifest, null, 2)}\n`
}

const bundledLicences = 'web/third-party-licences.md'

/**
 * Allowed are the manifest, README, licence, compiled modules with declarations, SQL, the web app and the schema. The web app
 * contains code of others, whose licences require that their text is included.
 */
export function problemsWith(files: readonly string[]): string[] {
  const strange = files.filter((path) => !mayShip(path)).map((path) => `${path} must not be published`)
  const needed = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']
  if (files.some((path) => path.startsWith('web/'))) needed.push(bundledLicences)
  const missing = needed.filter((path) => !files.includes(path))
  return [...strange, ...missing.map((path) => `${path} is missing`)]
}

function mayShip(path: string): boolean {
  if (['package.json', 'README.md', 'LICENSE'].includes(path)) return true
  if (/\.(test|suite|corpus)\./.test(path)) return false
  // Our own declaration of the platform must not reach users, who have the real one.
  if (path.endsWith('platform.d.ts')) return false
  if (path === 'assent.schema.json' || path === bundledLicences) return true
  return (
    /^dist\/.+\.(js|d\.ts)$/.test(path) ||
    /^migrations\/.+\.sql$/.test(path) ||
    /^web\/.+\.(html|js|css|svg|png|webmanifest)$/.test(path)
  )
}

/** npm prints a list, and from version 12 on an object by package name. */
function onlyOne(printed: readonly Packed[] | Readonly<Record<string, Packed>>): Packed | undefined {
  return Object.values(printed)[0]
}
