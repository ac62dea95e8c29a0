// The version of this package, as its manifest says.

import { readFileSync } from 'node:fs'

export function ownVersion(): string {
  // Two folders up both in the sources and in what is published.
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
