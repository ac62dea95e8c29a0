// The content of every manifest for registries and clients. Does not write files.
import { conductorAgent, conductorSkill } from '../../packages/gateway/src/setup/init/text/conductor.ts'
import { type About, launchOf, title } from './about.ts'

const folder = 'integrations'

/** By path, from the root of the repository. */
export function manifestFiles(about: About): Record<string, string> {
  const launch = launchOf(about)
  return {
    [`${folder}/registry/server.json`]: json(serverJson(about)),
    [`${folder}/mcpb/manifest.json`]: json(mcpbManifest(about)),
    [`${folder}/claude-plugin/.claude-plugin/plugin.json`]: json(claudePlugin(about)),
    [`${folder}/claude-plugin/.mcp.json`]: json({ mcpServers: { assent: launch } }),
    [`${folder}/claude-plugin/skills/conductor/SKILL.md`]: conductorSkill,
    [`${folder}/.claude-plugin/marketplace.json`]: json(claudeMarketplace(about)),
    [`${folder}/agent-plugin/plugin.json`]: json(agentPlugin(about)),
    [`${folder}/agent-plugin/mcp.json`]: json({
      $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
      mcpServers: { assent: { type: 'stdio', ...launch } },
    }),
    [`${folder}/agent-plugin/skills/conductor/SKILL.md`]: conductorSkill,
    [`${folder}/agent-plugin/com.github.copilot/agents/Conductor.agent.md`]: conductorAgent,
  }
}

/** https://github.com/modelcontextprotocol/registry, schema of 2025-12-11. */
function serverJson({ mcpName, name, version, description, repository }: About): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title,
    description,
    repository: { url: repository, source: 'github', subfolder: 'packages/gateway' },
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: launchOf({ name, version }).command,
        transport: { type: 'stdio' },
        environmentVariables: [
          {
            name: 'ASSENT_LISTEN',
            description: 'Where the inbox is served, when its usual port on 127.0.0.1 is taken.',
            isRequired: false,
            format: 'string',
            isSecret: false,
          },
        ],
      },
    ],
  }
}

/** https://github.com/modelcontextprotocol/mcpb, manifest version 0.3. */
function mcpbManifest(about: About): object {
  const { name, version, description, author, license, keywords, node, homepage, repository } = about
  const entry = 'server/node_modules/assent/dist/program/main.js'
  return {
    manifest_version: '0.3',
    name,
    display_name: title,
    version,
    description,
    author: { name: author },
    repository: { type: 'git', url: repository },
    homepage,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: { command: 'node', args: [`\${__dirname}/${entry}`], env: {} },
    },
    tools_generated: true,
    keywords,
    license,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node } },
  }
}

function claudePlugin(about: About): object {
  const { name, version, description, author, license, keywords, homepage, repository } = about
  return {
    name,
    displayName: title,
    version,
    description,
    author: { name: author },
    homepage,
    repository,
    license,
    keywords,
  }
}

/** Allows adding a checkout as a marketplace. */
function claudeMarketplace({ name, version, description, author }: About): object {
  return {
    name,
    owner: { name: author },
    metadata: { description, version },
    plugins: [{ name, source: './claude-plugin', description, version }],
  }
}

/** https://agent-plugins.org, version 1.0.0. */
function agentPlugin(about: About): object {
  const { name, version, description, author, license, keywords, homepage, repository } = about
  return {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version,
    description,
    author: { name: author },
    homepage,
    repository,
    license,
    keywords,
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
