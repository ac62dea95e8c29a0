// The facts about Assent in every manifest, read from their only source: the manifest of the package `assent`.
import { readFileSync } from 'node:fs'

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
}

/** The command for clients: exactly the version of this manifest, as `assent init` writes it when it runs under npx. */
export function launchOf({ name, version }: Pick<About, 'name' | 'version'>) {
  return { command: 'npx', args: ['-y', `${name}@${version}`] } as const
}

export const title = 'Assent'

export function readAbout(): About {
  const file = new URL('../../packages/gateway/package.json', import.meta.url)
  const { name, mcpName, version, description, license, author, keywords, engines } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  return { name, mcpName, version, description, license, author, keywords, node: engines.node }
}
