// Copies the version and the addresses of the project into the manifests of the packages and into the lock file.
// Does not write files.
import type { Project } from './project.ts'

interface PackageManifest {
  readonly name: string
  readonly private?: boolean
  readonly [field: string]: unknown
}

const ours = /^(assent|@assent\/.+)$/

/** @param folder such as `packages/core`. */
export function withProject(text: string, folder: string, project: Project): string {
  const { name, version: _version, ...rest }: PackageManifest = JSON.parse(text)
  const { description, keywords, author, mcpName: _mcpName, ...others } = rest
  const { homepage: _homepage, repository: _repository, bugs: _bugs, publishConfig: _config, ...last } = others
  const manifest = {
    name,
    version: project.version,
    description,
    keywords,
    homepage: project.homepage,
    bugs: { url: project.bugs },
    repository: { type: 'git', url: `git+${project.repository}.git`, directory: folder },
    author,
    ...(name === 'assent' ? { mcpName: project.mcpName } : {}),
    ...last,
    ...(rest.private === true ? {} : { publishConfig: { access: 'public' } }),
    ...('dependencies' in rest ? { dependencies: withVersion(rest.dependencies, project.version) } : {}),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** The lock file repeats the versions of the workspace. */
export function lockWithVersion(text: string, version: string): string {
  const lock = JSON.parse(text)
  const packages = Object.entries<Record<string, unknown>>(lock.packages).map(([path, entry]) => {
    if (path === '') return [path, versioned(entry, version)]
    if (!/^packages\/[^/]+$/.test(path)) return [path, entry]
    const own = versioned(entry, version)
    return [path, 'dependencies' in own ? { ...own, dependencies: withVersion(own.dependencies, version) } : own]
  })
  return `${JSON.stringify({ ...versioned(lock, version), packages: Object.fromEntries(packages) }, null, 2)}\n`
}

/** With `version` after `name`, where npm writes it. */
function versioned({ name, version: _version, ...rest }: Record<string, unknown>, version: string) {
  return { name, version, ...rest }
}

function withVersion(dependencies: unknown, version: string): Record<string, string> {
  const entries = Object.entries(dependencies as Record<string, string>)
  return Object.fromEntries(entries.map(([name, wanted]) => [name, ours.test(name) ? version : wanted]))
}
