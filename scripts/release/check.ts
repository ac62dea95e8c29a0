// Ends with 1 if the version must not be published: `npm run release:check -- v0.1.0 example/assent`.
import { globSync, readFileSync } from 'node:fs'
import { releaseProblems } from './problems.ts'
import { readProject } from './project.ts'

const [tag = '', repository = ''] = process.argv.slice(2)
const read = (path: string) => [path.replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const
// docs/release.md names the notices.
const pages = globSync(['*.md', 'docs/**/*.md', 'integrations/*.md', 'packages/*/README.md'])
  .filter((path) => !/release\.md$|behaviour\.md$|decisions|CHANGELOG/.test(path))
  .map(read)
const problems = releaseProblems({
  project: readProject(),
  tag,
  repository,
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  codeowners: readFileSync('.github/CODEOWNERS', 'utf8'),
  pages: Object.fromEntries(pages),
})
for (const problem of problems) console.error(`release: ${problem}`)
console.log(`release: ${problems.length === 0 ? `${tag} can be published` : `${problems.length} problems`}`)
process.exitCode = problems.length === 0 ? 0 : 1
