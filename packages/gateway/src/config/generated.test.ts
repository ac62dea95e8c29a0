import { readFileSync } from 'node:fs'
import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import { configSchema } from './json-schema.ts'
import { variableOf } from './setting.ts'
import { settings } from './settings.ts'
import { settingsPage } from './settings-page.ts'
import { pathsOf } from './unknown-settings.ts'

function readFromRoot(path: string): string {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
}

test('[PROG-5] docs/reference/settings.md is up to date with the settings (npm run settings)', () => {
  expect(readFromRoot('docs/reference/settings.md')).toBe(settingsPage())
})

test('[PROG-5] assent.schema.json is up to date with the settings (npm run settings)', () => {
  expect(JSON.parse(readFromRoot('packages/gateway/assent.schema.json'))).toEqual(configSchema())
})

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
