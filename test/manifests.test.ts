// Checks the manifests for registries and clients: up to date, and in the format that each of them requires.
import { validateManifest } from '@anthropic-ai/mcpb'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { launchOf, readAbout } from '../scripts/manifests/about.ts'
import { manifestFiles } from '../scripts/manifests/files.ts'
import { cursorLink, vsCodeLink, withLinks } from '../scripts/manifests/links.ts'
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

test('[PACKAGE-1] the install links in the README are up to date, and start the same command as init', () => {
  const readme = readText('README.md')
  expect(withLinks(readme)).toBe(readme)
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
  expect(Object.keys(server).sort()).toEqual(['$schema', 'description', 'name', 'packages', 'title', 'version'])
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
