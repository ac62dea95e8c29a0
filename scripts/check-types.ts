// Type-checks every project of the workspace, each with only the types that it may use.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'

const projects = ['tsconfig.json', ...globSync('packages/*/tsconfig*.json').sort()].filter(
  (file) => existsSync(file) && !file.endsWith('tsconfig.build.json'),
)

let failed = false
for (const project of projects) {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`types: ${project} has errors`)
    failed = true
  }
}
if (failed) process.exit(1)
console.log(`types: ${projects.length} projects checked`)
