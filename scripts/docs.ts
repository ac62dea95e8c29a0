// Generates the SDK reference from its source: `npm run docs`; with `--check` it only reports whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { sdkReference } from './docs/reference.ts'

const path = 'docs/guide/sdk-reference.md'
const written = sdkReference()
if (!process.argv.includes('--check')) writeFileSync(path, written)
else if (readFileSync(path, 'utf8') !== written) {
  console.error(`docs: ${path} is out of date; run npm run docs`)
  process.exit(1)
}
console.log(`docs: ${path} is up to date`)
