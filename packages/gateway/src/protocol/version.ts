// The version in this package's manifest.

import { readFileSync } from 'node:fs'

export function ownVersion(): string {
  // Two folders up, both in the sources and in the published package.
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
