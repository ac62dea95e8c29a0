// Checks the steps of a release that need no network: version, changelog, size budgets and licences.
import { describe, expect, test } from 'vitest'
import { installProblems, sizeProblems } from '../scripts/build/budget.ts'
import { publishedPackages } from '../scripts/build/published.ts'
import { problemsWith } from '../scripts/build/tarball.ts'
import { released, sectionOf } from '../scripts/release/changelog.ts'
import { licenceProblems, licencesIn } from '../scripts/release/licences.ts'
import { releaseProblems } from '../scripts/release/problems.ts'
import { projectOf, tarballPath } from '../scripts/release/project.ts'
import { readText } from './workspace.ts'

const manifest = JSON.stringify({
  version: '1.2.3',
  homepage: 'https://github.com/acme/assent#readme',
  bugs: { url: 'https://github.com/acme/assent/issues' },
  repository: { type: 'git', url: 'git+https://github.com/acme/assent.git' },
})
const good = {
  project: projectOf(manifest),
  tag: 'v1.2.3',
  repository: 'acme/assent',
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-11-18)\n\n- A change.\n',
  codeowners: '* @acme/maintainers\n',
  pages: { 'README.md': 'Try it: npx assent try' },
}

describe('what must be true before a release', () => {
  test('[REPO-5] a release with matching tag, repository and changelog has no problems', () => {
    expect(releaseProblems(good)).toEqual([])
    expect(good.project.mcpName).toBe('io.github.acme/assent')
  })

  test.each([
    ['another tag', { tag: 'v1.2.4' }, /tag is v1\.2\.4/],
    ['a tag without v', { tag: '1.2.3' }, /tag is 1\.2\.3/],
    ['no tag', { tag: '' }, /The tag is /],
    ['a fork', { repository: 'other/assent' }, /this is other\/assent/],
    ['no repository', { repository: '' }, /this is \./],
    ['placeholder teams', { codeowners: '* @example/maintainers' }, /CODEOWNERS/],
    ['no section in the changelog', { changelog: '## Unreleased\n\n- A change.\n' }, /no changes of 1\.2\.3/],
    ['an empty section', { changelog: '## 1.2.3 (2026-11-18)\n\n## 1.2.2\n\n- Old.\n' }, /no changes of 1\.2\.3/],
    ['a page that says it is not released', { pages: { 'a.md': 'Assent is not on npm yet.' } }, /notices: a\.md\./],
    ['a section of a longer version', { changelog: '## 1.2.30 (2026-11-18)\n\n- Other.\n' }, /no changes of 1\.2\.3/],
  ])('[REPO-5] a release with %s is refused', (_case, changed, problem) => {
    expect(releaseProblems({ ...good, ...changed })).toEqual([expect.stringMatching(problem)])
  })

  test('[REPO-5] a release with the placeholder address is refused', () => {
    const project = projectOf(manifest.replaceAll('acme', 'example'))
    expect(releaseProblems({ ...good, project, repository: 'example/assent' })).toEqual([
      expect.stringContaining('placeholder'),
    ])
  })
})

test('[REPO-5] a release moves the unreleased changes into a section with its version and date', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n'
  const after = released(before, '0.2.0', '2026-11-18')

  expect(after).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-18)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n',
  )
  expect(sectionOf(after, '0.2.0')).toBe('- New.')
  expect(sectionOf(after, 'Unreleased')).toBe('')
  expect(() => released(after, '0.3.0', '2026-11-19')).toThrow('lists no changes')
  expect(() => released(before, '0.1.0', '2026-11-19')).toThrow('already has a section')
  expect(() => released('# Changelog\n', '0.1.0', '2026-11-19')).toThrow('has no section')
})

test('[REPO-5] tarballs are published by a path that npm cannot mistake for a repository', () => {
  expect(tarballPath('assent', '0.1.0')).toBe('./dist/assent-0.1.0.tgz')
  expect(tarballPath('@assent/core', '0.2.0-rc.1')).toBe('./dist/assent-core-0.2.0-rc.1.tgz')
})

test('[REPO-6] every published package has a size budget, and a larger tarball or installation is a problem', () => {
  for (const { name } of publishedPackages()) expect(sizeProblems(name, { packed: 1, unpacked: 1 })).toEqual([])
  expect(sizeProblems('@assent/core', { packed: 1e9, unpacked: 1e9 })).toHaveLength(2)
  expect(sizeProblems('@assent/unknown', { packed: 1, unpacked: 1 })).toHaveLength(1)
  expect(installProblems(85, 65_000_000)).toEqual([])
  expect(installProblems(86, 65_000_001)).toHaveLength(2)
})

test('[REPO-7] every dependency that users receive has a permissive licence', () => {
  const lock = readText('package-lock.json')
  expect(licencesIn(lock).length).toBeGreaterThan(50)
  expect(licenceProblems(lock)).toEqual([])

  const withLicence = (entry: object) =>
    JSON.stringify({ packages: { '': {}, 'node_modules/a/node_modules/@b/c': entry } })
  for (const license of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])
    expect(licenceProblems(withLicence({ license })), license).toEqual([])
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN x', '', undefined])
    expect(licenceProblems(withLicence({ license })), license).toEqual([
      expect.stringMatching(/^@b\/c has the licence/),
    ])
  expect(licenceProblems(withLicence({ license: 'GPL-3.0-only', dev: true }))).toEqual([])
})

test('[REPO-7] a tarball with the web app contains the licences of the code that is built into it', () => {
  const files = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']
  expect(problemsWith(files)).toEqual([])
  expect(problemsWith([...files, 'web/index.html'])).toEqual(['web/third-party-licences.md is missing'])
  expect(problemsWith([...files, 'web/index.html', 'web/third-party-licences.md'])).toEqual([])
})
