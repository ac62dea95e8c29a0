// The version and the public addresses of the project. Their only source is the manifest at the root of the repository;
// `npm run manifests` copies them into every other manifest.
import { readFileSync } from 'node:fs'

export interface Project {
  readonly version: string
  /** Without `git+` and `.git`: the page of the repository. */
  readonly repository: string
  readonly homepage: string
  readonly bugs: string
  /** In the MCP registry, which accepts this name only from the owner of the repository's account. */
  readonly mcpName: string
}

/** The account in the addresses until the project has a public one. Nothing can be released with it. */
export const placeholderAccount = 'example'

export function readProject(): Project {
  return projectOf(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
}

export function projectOf(rootManifest: string): Project {
  const { version, repository, homepage, bugs } = JSON.parse(rootManifest)
  const page = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
  return { version, repository: page, homepage, bugs: bugs.url, mcpName: `io.github.${accountOf(page)}/assent` }
}

/** The account and name of a repository on GitHub, such as `example/assent`. */
export function slugOf(repository: string): string {
  return new URL(repository).pathname.slice(1)
}

export function accountOf(repository: string): string {
  return slugOf(repository).split('/')[0]?.toLowerCase() ?? ''
}

/** Where `npm run pack:check` keeps a tarball. Starts with `./`, because npm reads `a/b` as a repository on GitHub. */
export function tarballPath(name: string, version: string): string {
  return `./dist/${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
