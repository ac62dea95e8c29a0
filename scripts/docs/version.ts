// The version in a hand-written page, where it is part of a command or of the sentence about the current version.

const version = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`

export function withVersion(page: string, current: string): string {
  return page.replaceAll(new RegExp(`(\\bassent@|\\bVersion )${version}`, 'g'), `$1${current}`)
}
