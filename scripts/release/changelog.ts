// Reads and changes CHANGELOG.md, which has the form of https://keepachangelog.com: a section per version, newest first.

const unreleased = '## Unreleased'

/** The text of one version's section without its heading, or undefined if there is none. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const lines = changelog.split('\n')
  const from = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `))
  if (from === -1) return undefined
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith('## '))
  return lines
    .slice(from + 1, length === -1 ? undefined : from + 1 + length)
    .join('\n')
    .trim()
}

/** Moves the unreleased changes into a section for the version. @param date such as 2026-11-18. */
export function released(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, version) !== undefined) throw new Error(`CHANGELOG.md already has a section for ${version}.`)
  const changes = sectionOf(changelog, 'Unreleased')
  if (changes === undefined) throw new Error(`CHANGELOG.md has no section "${unreleased}".`)
  if (changes === '') throw new Error(`CHANGELOG.md lists no changes under "${unreleased}".`)
  return changelog.replace(`${unreleased}\n`, `${unreleased}\n\n## ${version} (${date})\n`)
}
