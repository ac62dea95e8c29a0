// Builds the docs site into dist/site: `npm run docs:site`. A link to a page that does not exist fails the build.
//
// Next to the pages it writes llms.txt, every page as Markdown, and the machine-readable schemas.
import { copyFileSync, cpSync, globSync, writeFileSync } from 'node:fs'
import { build } from 'vitepress'
import { openApi } from '../packages/gateway/src/inbox/openapi.ts'
import { llmsText } from './docs-site/llms.ts'

const site = 'dist/site'
const started = Date.now()
await build('docs')
for (const page of globSync('**/*.md', { cwd: 'docs' })) cpSync(`docs/${page}`, `${site}/${page}`)
writeFileSync(`${site}/llms.txt`, llmsText())
copyFileSync('packages/gateway/assent.schema.json', `${site}/assent.schema.json`)
writeFileSync(`${site}/openapi.json`, `${JSON.stringify(openApi, null, 2)}\n`)
console.log(`docs: ${site} is built in ${Math.round((Date.now() - started) / 1_000)} s`)
