import { readFileSync } from 'node:fs'
import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import { configSchema } from './json-schema.ts'
import { readConfig } from './read-config.ts'
import { variableOf } from './setting.ts'
import { settings } from './settings.ts'
import { settingsPage } from './settings-page.ts'
import { pathsOf } from './unknown-settings.ts'

function readFromRoot(path: string): string {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
}

test('[PROG-5] docs/settings.md is up to date with the settings (npm run settings)', () => {
  expect(readFromRoot('docs/settings.md')).toBe(settingsPage())
})

test('[PROG-5] assent.schema.json is up to date with the settings (npm run settings)', () => {
  expect(JSON.parse(readFromRoot('packages/gateway/assent.schema.json'))).toEqual(configSchema())
})

test.each(['docs/gateway.md', 'docs/production.md', 'docs/guide/messages.md'])(
  '[PROG-5] every YAML example in %s is a valid configuration',
  (page) => {
    const blocks = [...readFromRoot(page).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text ?? '')
    const key = Buffer.alloc(32).toString('base64')
    const around = {
      variables: {
        GITHUB_TOKEN: 't',
        INBOX_SECRET: 's',
        POD_IP: '10.0.0.5',
        SLACK_WEBHOOK: 'https://hooks.slack.com/services/T0/B0/x',
        TEAMS_WEBHOOK: 'https://example.com/workflows/1',
        NTFY_TOKEN: 't',
        SMTP_PASSWORD: 'p',
        WEBHOOK_SECRET: `whsec_${key}`,
      },
      readFile: () => ({ ok: true, text: key }) as const,
    }
    const oneServer = '\nservers: { a: { command: b } }'

    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      expect(readConfig(block.includes('servers:') ? block : `${block}${oneServer}`, around)).toMatchObject({
        ok: true,
      })
    }
  },
)

test('[PROG-5] the page and the schema list every setting with its environment variable', () => {
  const paths = pathsOf(settings)
  const page = settingsPage()

  expect(paths.length).toBeGreaterThan(30)
  for (const path of paths) {
    expect(page).toContain(`\`${path.join('.')}\``)
    expect(page).toContain(`\`${variableOf(path)}\``)
    const schema = path.reduce<JsonObject | undefined>((at, name) => {
      // A group that a list may stand for has alternatives.
      const all = [at, ...((at?.anyOf as JsonObject[] | undefined) ?? [])]
      return all.map((one) => (one?.properties as Record<string, JsonObject> | undefined)?.[name]).find(Boolean)
    }, configSchema())
    expect(schema?.description).toContain(variableOf(path))
  }
})
