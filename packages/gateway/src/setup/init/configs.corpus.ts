// Realistic configuration files: with comments, other servers, unusual layouts, and secrets.

import type { EntryChange } from './edit/change.ts'

export interface Sample {
  readonly title: string
  readonly client: string
  readonly form: EntryChange['form']
  readonly text: string
}

function jsonc(client: string, title: string, text: string): Sample {
  return { client, title, form: 'jsonc', text }
}

export const samples: readonly Sample[] = [
  jsonc(
    'vscode',
    'a workspace with inputs, comments and a trailing comma',
    `// Servers of this workspace. Keep sorted!
{
  "inputs": [
    { "type": "promptString", "id": "gh", "description": "Token", "password": true }, // asked once
  ],
  "servers": {
    // the issue tracker
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": { "Authorization": "Bearer \${input:gh}" },
    }, // do not remove
    /* local */ "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] }, // here
  },
}
`,
  ),
  jsonc(
    'vscode',
    'tabs, and a comment behind the last server',
    `{\n\t"servers": {\n\t\t"a": {\n\t\t\t"command": "a-server"\n\t\t} // the only one\n\t}\n}\n`,
  ),
  jsonc(
    'vscode',
    'no servers yet, but a comment where they go',
    `{\n    "servers": {\n        // put them here\n    }\n}\n`,
  ),
  jsonc(
    'claude-code',
    'a project with two servers',
    `{
  "mcpServers": {
    "postgres": {
      "command": "npx",
      "args": ["-y", "@acme/pg-mcp"],
      "env": { "PGPASSWORD": "\${PGPASSWORD:-sw0rdfish}" }
    },
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp" }
  }
}
`,
  ),
  jsonc(
    'claude-code',
    'the state file, on one line',
    `{"numStartups":214,"theme":"dark","projects":{"/home/ann/work":{"allowedTools":[],"mcpServers":{}}},"oauthAccount":{"accountUuid":"0b6c"},"mcpServers":{"linear":{"type":"sse","url":"https://mcp.linear.app/sse"}}}`,
  ),
  jsonc('claude-code', 'the state file without servers', `{\n  "numStartups": 3,\n  "userID": "e3b0c442"\n}\n`),
  jsonc(
    'cursor',
    'four spaces, braces on lines of their own',
    `{
    "mcpServers":
    {
        "figma":
        {
            "url": "http://127.0.0.1:3845/mcp"
        }
    }
}`,
  ),
  jsonc('cursor', 'an empty object', '{}'),
  jsonc('cursor', 'an empty map of servers', `{\n  "mcpServers": {}\n}\n`),
  jsonc('cursor', 'an empty map of servers with a space in it', `{ "mcpServers": { } }\n`),
  jsonc(
    'gemini-cli',
    'settings in the new layout',
    `{
  "general": { "vimMode": true },
  "security": { "auth": { "selectedType": "oauth-personal" } },
  // servers
  "mcpServers": {
    "github": {
      "httpUrl": "https://api.githubcopilot.com/mcp/",
      "headers": { "Authorization": "Bearer ghp_aaaaaaaaaaaaaaaaaaaa" },
      "timeout": 5000
    }
  },
  "ui": { "theme": "GitHub" }
}
`,
  ),
  jsonc(
    'zed',
    'settings as Zed writes them first',
    `// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed
//
// To see all of Zed's default settings without changing your
// custom settings, run \`zed: open default settings\` from the
// command palette (cmd-shift-p / ctrl-shift-p)
{
  "telemetry": { "diagnostics": false, "metrics": false },
  "ui_font_size": 16,
  "theme": {
    "mode": "system",
    "light": "One Light",
    "dark": "One Dark", // easier at night
  },
}
`,
  ),
  jsonc(
    'zed',
    'other context servers, the last one commented out',
    `{
  "context_servers": {
    "mcp-server-context7": {
      "enabled": true,
      "settings": { "default_minimum_tokens": "10000" }
    }
    // , "old": { "command": "old" }
  },
  "vim_mode": true
}
`,
  ),
  jsonc(
    'opencode',
    'a project with its schema',
    `{
  "$schema": "https://opencode.ai/config.json",
  "model": "anthropic/claude-sonnet-4-5",
  "mcp": {
    "playwright": { "type": "local", "command": ["npx", "@playwright/mcp"], "enabled": false },

    "jira": {
      "type": "remote",
      "url": "https://jira.example.com/mcp"
    }

  }
}
`,
  ),
  jsonc('opencode', 'only a schema', `{ "$schema": "https://opencode.ai/config.json" }\n`),
  {
    client: 'codex',
    title: 'profiles, a dotted key, dates and other servers',
    form: 'toml',
    text: `# ~/.codex/config.toml
model = "gpt-5.2-codex"   # fast enough
approval_policy = "on-request"
tui.notifications = ["agent-turn-complete"]

[mcp_servers.context7]
command = "npx"
args = [
  "-y",            # never ask
  "@upstash/context7-mcp",
]
env = { CONTEXT7_API_KEY = "ctx7sk-111111111111" }

[mcp_servers."with.dot"]
url = "https://example.com/mcp"
bearer_token_env_var = "EXAMPLE_TOKEN"

[projects."/home/ann/work"]
trust_level = "trusted"
since = 2026-02-03T04:05:06Z
budget = 9007199254740993

[[hooks]]
event = "stop"
script = '''
echo "[mcp_servers.assent]"
'''
# the end
`,
  },
  { client: 'codex', title: 'one line', form: 'toml', text: 'model = "gpt-5.2-codex"' },
  {
    client: 'goose',
    title: 'extensions, comments and settings after them',
    form: 'yaml',
    text: `# Goose
GOOSE_PROVIDER: "anthropic"
GOOSE_MODEL: claude-sonnet-4-5   # change me

extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin

  # brought by the team
  github:
    enabled: true
    type: stdio
    name: github
    cmd: npx
    args: [-y, "@acme/github-mcp"]
    envs:
      GITHUB_TOKEN: ghp_bbbbbbbbbbbbbbbbbbbb
    description: |
      Talks to GitHub.

      Carefully.

# the rest
GOOSE_MODE: smart_approve
slash_commands:
- command: run-tests
  recipe_path: /tmp/recipe.yaml
`,
  },
  { client: 'goose', title: 'no extensions', form: 'yaml', text: 'GOOSE_PROVIDER: openai\nGOOSE_MODEL: gpt-5.2\n' },
  {
    client: 'goose',
    title: 'an empty map',
    form: 'yaml',
    text: 'GOOSE_PROVIDER: openai\nextensions: {}\nGOOSE_MODE: auto\n',
  },
  { client: 'goose', title: 'nothing behind the colon', form: 'yaml', text: 'extensions:\nGOOSE_MODE: auto\n' },
  {
    client: 'goose',
    title: 'deeper indentation, at the end of the file',
    form: 'yaml',
    text: 'GOOSE_MODE: auto\nextensions:\n    memory:\n        enabled: true\n        type: builtin\n        name: memory',
  },
  { client: 'goose', title: 'only a comment', form: 'yaml', text: '# nothing yet\n' },
]

/** Files that init must not change, each with a part of the expected reason. */
export const strange: readonly (Sample & { because: string })[] = [
  { ...jsonc('cursor', 'a missing brace', '{ "mcpServers": { "a": {} }'), because: 'line 1' },
  {
    ...jsonc('cursor', 'an unresolved merge conflict', '{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> b\n}'),
    because: 'line 2',
  },
  { ...jsonc('cursor', 'a list', '[]'), because: 'object' },
  { ...jsonc('cursor', 'servers as a list', '{ "mcpServers": [] }'), because: 'mcpServers is not an object' },
  { ...jsonc('cursor', 'null in place of servers', '{ "mcpServers": null }'), because: 'mcpServers is not an object' },
  { ...jsonc('cursor', 'the same name twice', '{ "mcpServers": {}, "mcpServers": {} }'), because: 'twice' },
  { ...jsonc('cursor', 'two documents', '{} {}'), because: 'line 1' },
  {
    ...jsonc('cursor', 'our name with another command', '{ "mcpServers": { "assent": { "command": "mine" } } }'),
    because: 'has another value',
  },
  { client: 'codex', title: 'broken', form: 'toml', text: 'a = 1\nb = ', because: 'line 2' },
  {
    client: 'codex',
    title: 'an inline table',
    form: 'toml',
    text: 'mcp_servers = { a = { command = "a" } }\n',
    because: 'cannot be added',
  },
  {
    client: 'codex',
    title: 'a list of tables',
    form: 'toml',
    text: '[[mcp_servers]]\na = 1\n',
    because: 'cannot be added',
  },
  {
    client: 'codex',
    title: 'our name with another command',
    form: 'toml',
    text: '[mcp_servers.assent]\ncommand = "mine"\n',
    because: 'has another value',
  },
  { client: 'goose', title: 'broken', form: 'yaml', text: 'extensions:\n  a: "\n', because: 'not valid YAML' },
  { client: 'goose', title: 'two documents', form: 'yaml', text: 'a: 1\n---\nb: 2\n', because: 'not valid YAML' },
  {
    client: 'goose',
    title: 'a map on one line',
    form: 'yaml',
    text: 'extensions: { a: { enabled: true } }\n',
    because: 'one entry per line',
  },
  { client: 'goose', title: 'a list', form: 'yaml', text: 'extensions:\n  - a\n', because: 'one entry per line' },
  {
    client: 'goose',
    title: 'the whole file on one line',
    form: 'yaml',
    text: '{ GOOSE_MODE: auto }\n',
    because: 'one entry per line',
  },
]
