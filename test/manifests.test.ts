// Checks the manifests for registries and clients: up to date, and in the format that each of them requires.
import { validateManifest } from '@anthropic-ai/mcpb'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { withVersion } from '../scripts/docs/version.ts'
import { launchOf, readAbout } from '../scripts/manifests/about.ts'
import { manifestFiles } from '../scripts/manifests/files.ts'
import { cursorLink, linksPage, vsCodeLink, withLinks } from '../scripts/manifests/links.ts'
import { schemaProblems } from '../scripts/manifests/validate.ts'
import { lockWithVersion, withProject } from '../scripts/release/package-manifests.ts'
import { projectOf } from '../scripts/release/project.ts'
import { readText, readWorkspace } from './workspace.ts'

const about = readAbout()
const files = manifestFiles(about)
const launch = launchOf(about)

function kept(path: string) {
  return JSON.parse(readText(`integrations/${path}`))
}

test.each(Object.keys(files))('[PACKAGE-1] %s is generated from the manifest of assent (npm run manifests)', (path) => {
  expect(readText(path)).toBe(files[path])
})

test('[PACKAGE-1] the version and addresses of every package are those of the root (npm run manifests)', () => {
  const project = projectOf(readText('package.json'))
  for (const folder of Object.keys(readWorkspace().packages)) {
    const text = readText(`packages/${folder}/package.json`)
    expect(withProject(text, `packages/${folder}`, project)).toBe(text)
    const stale = text.replaceAll(project.version, '0.0.1').replaceAll('github.com/example', 'github.com/other')
    expect(withProject(stale, `packages/${folder}`, project)).toBe(text)
  }
  const lock = readText('package-lock.json')
  expect(lockWithVersion(lock, project.version)).toBe(lock)
  const changed = JSON.parse(lockWithVersion(lock, '9.9.9')).packages
  expect(changed[''].version).toBe('9.9.9')
  expect(changed['packages/tools']).toMatchObject({ version: '9.9.9', dependencies: { '@assent/sdk': '9.9.9' } })
  expect(changed['node_modules/zod']).toEqual(JSON.parse(lock).packages['node_modules/zod'])
})

test('[PACKAGE-1] the version in the README is that of the root (npm run docs)', () => {
  const [readme, { version }] = [readText('README.md'), projectOf(readText('package.json'))]
  expect(readme).toContain(`npx -y assent@${version}`)
  expect(withVersion(readme, version)).toBe(readme)
  for (const other of ['0.0.9', '0.2.0-rc.1']) {
    const stale = readme
      .replaceAll(`assent@${version}`, `assent@${other}`)
      .replaceAll(`Version ${version}`, `Version ${other}`)
    expect(withVersion(stale, version)).toBe(readme)
  }
})

test('[PACKAGE-1] the install links in the docs are up to date, and start the same command as init', () => {
  const page = readText(linksPage)
  expect(withLinks(page)).toBe(page)
  for (const host of ['vscode.dev', 'insiders.vscode.dev'] as const) {
    const { searchParams } = new URL(vsCodeLink(host))
    expect(searchParams.get('name')).toBe('assent')
    expect(JSON.parse(searchParams.get('config') ?? '')).toEqual({ type: 'stdio', ...launch })
  }
  expect(launch.args).toEqual(['-y', `assent@${about.version}`])
  const config = new URL(cursorLink()).searchParams.get('config') ?? ''
  expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual(launch)
})

test('[PACKAGE-2] server.json has the name, description and version format that the registry requires', () => {
  const server = kept('registry/server.json')
  const { packages } = readWorkspace()

  expect(server.$schema).toBe('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json')
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.name).toBe((packages.gateway as { mcpName?: string }).mcpName)
  expect(server.description.length).toBeLessThanOrEqual(100)
  expect(server.version).toMatch(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/)
  expect(Object.keys(server).sort()).toEqual([
    '$schema',
    'description',
    'name',
    'packages',
    'repository',
    'title',
    'version',
  ])
  expect(server.repository).toEqual({ url: about.repository, source: 'github', subfolder: 'packages/gateway' })
  expect(server.packages).toHaveLength(1)
  expect(server.packages[0]).toMatchObject({
    registryType: 'npm',
    identifier: packages.gateway?.name,
    version: server.version,
    runtimeHint: 'npx',
    transport: { type: 'stdio' },
  })
})

test('[PACKAGE-2] the vendor’s validator accepts the manifest of the bundle and rejects an invalid one', () => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined)
  const error = vi.spyOn(console, 'error').mockReturnValue(undefined)
  try {
    expect(validateManifest('integrations/mcpb/manifest.json')).toBe(true)
    expect(validateManifest('integrations/registry/server.json')).toBe(false)
  } finally {
    log.mockRestore()
    error.mockRestore()
  }
})

test('[PACKAGE-2] the agent plugin has only fields that its format defines, and a stdio server', () => {
  const plugin = kept('agent-plugin/plugin.json')
  const known = [
    '$schema',
    'name',
    'version',
    'description',
    'author',
    'homepage',
    'repository',
    'license',
    'keywords',
    'extensions',
  ]

  expect(plugin.$schema).toBe('https://agent-plugins.org/schemas/1.0.0/plugin.schema.json')
  expect(plugin.name).toMatch(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/)
  expect(Object.keys(plugin).filter((field) => !known.includes(field))).toEqual([])
  expect(kept('agent-plugin/mcp.json')).toEqual({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
    mcpServers: { assent: { type: 'stdio', ...launch } },
  })
})

test('[PACKAGE-2] the Claude Code plugin has a name and a version, and the marketplace refers to it', () => {
  const plugin = kept('claude-plugin/.claude-plugin/plugin.json')
  const { plugins } = kept('.claude-plugin/marketplace.json')

  expect(plugin).toMatchObject({ name: about.name, version: about.version, description: about.description })
  expect(plugins).toEqual([
    expect.objectContaining({ name: plugin.name, version: plugin.version, source: './claude-plugin' }),
  ])
  expect(kept('claude-plugin/.mcp.json')).toEqual({ mcpServers: { assent: launch } })
})

test.each(['claude-plugin', 'agent-plugin'])('[PACKAGE-2] the skill of the %s has the name of its folder', (plugin) => {
  const [, front = ''] = readText(`integrations/${plugin}/skills/conductor/SKILL.md`).split('---\n')
  const { name, description } = parse(front)

  expect(name).toBe('conductor')
  expect(description.length).toBeLessThanOrEqual(1_024)
})

test('[PACKAGE-3] every published package has the same version, a licence, its Node version and a README', () => {
  const published = Object.entries(readWorkspace().packages).filter(([, manifest]) => manifest.private !== true)

  expect(published.map(([folder]) => folder).sort()).toEqual([
    'core',
    'gateway',
    'onboarding',
    'policy',
    'sdk',
    'store',
    'tools',
  ])
  for (const [folder, manifest] of published) {
    expect(manifest, folder).toMatchObject({
      version: about.version,
      license: about.license,
      author: about.author,
      engines: { node: about.node },
      type: 'module',
    })
    expect(readText(`packages/${folder}/README.md`), folder).toMatch(new RegExp(`^# ${manifest.name}\n`))
    expect(readText(`packages/${folder}/LICENSE`)).toBe(readText('LICENSE'))
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      expect(version, `${folder}: ${name}`).toMatch(/^\d+\.\d+\.\d+/)
    }
  }
})

test.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
  '[RELEASE-3] a manifest is compared with a schema of %s, formats included',
  ($schema) => {
    const schema = { $schema, required: ['name'], properties: { url: { type: 'string', format: 'uri', example: 'x' } } }
    expect(schemaProblems({ name: 'a', url: 'https://example.com' }, schema)).toEqual([])
    expect(schemaProblems({ url: 'not an address' }, schema)).toEqual([
      "/ must have required property 'name'",
      '/url must match format "uri"',
    ])
  },
)
