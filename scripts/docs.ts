// Generates the pages that are derived from code: `npm run docs`; with `--check` it only reports whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { generatedPages } from './docs/generated.ts'

const isCheck = process.argv.includes('--check')
let outdated = 0
for (const { path, text } of await generatedPages()) {
  if (!isCheck) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`docs: ${path} is out of date; run npm run docs`)
    outdated += 1
  }
}
if (outdated > 0) process.exit(1)
console.log('docs: the generated pages are up to date')
