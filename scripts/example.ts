// Runs an example by its name: `npm run example -- deploy --terminal`.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../examples/', import.meta.url))
const [name = '', ...rest] = process.argv.slice(2)
const file = `${folder}${name}.ts`
if (!/^[a-z-]+$/.test(name) || name === 'start' || !existsSync(file)) {
  const names = globSync('*.ts', { cwd: folder })
    .filter((found) => /^[a-z-]+\.ts$/.test(found) && found !== 'start.ts')
    .map((found) => found.slice(0, -'.ts'.length))
  console.error(`usage: npm run example -- <${names.sort().join('|')}> [--http [port] | --terminal]`)
  process.exit(2)
}
// Uses the sources of this workspace; a copied example runs with plain `node`.
const { status } = spawnSync(process.execPath, ['--conditions=assent-source', file, ...rest], { stdio: 'inherit' })
process.exit(status ?? 1)
