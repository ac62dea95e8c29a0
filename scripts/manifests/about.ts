// The facts about Assent in every manifest, read from their only sources: the manifest of the package `assent` and, for the
// version and the addresses, the manifest at the root.
import { readFileSync } from 'node:fs'
import { readProject } from '../release/project.ts'

export interface About {
  readonly name: string
  /** In the registry: a namespace that its publisher owns, and the name. */
  readonly mcpName: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly author: string
  readonly keywords: readonly string[]
  readonly node: string
  readonly homepage: string
  /** The page of the repository. */
  readonly repository: string
}

/** The command for clients: exactly the version of this manifest, as `assent init` writes it when it runs under npx. */
export function launchOf({ name, version }: Pick<About, 'name' | 'version'>) {
  return { command: 'npx', args: ['-y', `${name}@${version}`] } as const
}

export const title = 'Assent'

export function readAbout(): About {
  const file = new URL('../../packages/gateway/package.json', import.meta.url)
  const { name, description, license, author, keywords, engines } = JSON.parse(readFileSync(file, 'utf8'))
  const { version, mcpName, homepage, repository } = readProject()
  return { name, mcpName, version, description, license, author, keywords, node: engines.node, homepage, repository }
}
