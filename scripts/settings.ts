// Generates the page "Every setting" and the JSON Schema from the description of all settings.
import { writeFileSync } from 'node:fs'
import { configSchema } from '../packages/gateway/src/config/json-schema.ts'
import { settingsPage } from '../packages/gateway/src/config/settings-page.ts'

writeFileSync('docs/reference/settings.md', settingsPage())
writeFileSync('packages/gateway/assent.schema.json', `${JSON.stringify(configSchema(), null, 2)}\n`)
console.log('settings: docs/reference/settings.md and packages/gateway/assent.schema.json are written')
