// What must be true before a version is published. Returns the reasons against it.
import { sectionOf } from './changelog.ts'
import { accountOf, type Project, placeholderAccount, slugOf } from './project.ts'

export interface Candidate {
  readonly project: Project
  /** The pushed tag, such as `v0.1.0`. */
  readonly tag: string
  /** Where the release workflow runs, such as `example/assent`. */
  readonly repository: string
  readonly changelog: string
  readonly codeowners: string
  /** What users read, by path. */
  readonly pages: Readonly<Record<string, string>>
}

const beforeRelease = /not on npm yet|not released yet|until the first release|nothing has been released/i

export function releaseProblems({ project, tag, repository, changelog, codeowners, pages }: Candidate): string[] {
  const problems: string[] = []
  const { version } = project
  if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and the version in package.json is ${version}.`)
  if (accountOf(project.repository) === placeholderAccount)
    problems.push(`package.json names the placeholder ${project.repository}. Set the address of your repository.`)
  // npm and the MCP registry compare the address in the manifest with the repository that publishes.
  if (slugOf(project.repository) !== repository)
    problems.push(`package.json names the repository ${slugOf(project.repository)}, and this is ${repository}.`)
  if (codeowners.includes(`@${placeholderAccount}/`))
    problems.push('.github/CODEOWNERS names the placeholder teams. Set your own.')
  const changes = sectionOf(changelog, version)
  if (changes === undefined || changes === '')
    problems.push(`CHANGELOG.md describes no changes of ${version}. Run: npm run release:version -- ${version}`)
  const outdated = Object.keys(pages).filter((path) => beforeRelease.test(pages[path] ?? ''))
  if (outdated.length > 0)
    problems.push(`These pages state that nothing has been released. Remove the notices: ${outdated.join(', ')}.`)
  return problems
}
