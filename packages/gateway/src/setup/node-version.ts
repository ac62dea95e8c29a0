// The Node version that the program needs. Imports only its text: it must run on a Node that is too old.

import { nodeVersionText } from './text/node-version.ts'

/** The first version that runs our sources and has SQLite without a flag. */
export const oldestNode = [22, 18] as const

export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, first = 0, second = 0] = (/^v?(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  return first > major || (first === major && second >= minor)
}

/** Undefined if the version is recent enough. */
export function whyTooOld(version: string): string | undefined {
  if (isAtLeast(version, oldestNode)) return undefined
  return nodeVersionText.tooOld(oldestNode.join('.'), version)
}
