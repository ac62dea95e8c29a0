// docs/reference/settings.md ("Every setting"), generated from the description of all settings.

import { type Members, type Setting, variableOf } from './setting.ts'
import { restartSettings, settings } from './settings.ts'

const opening = `# Every setting

This page is generated from the description with which the gateway reads its configuration (\`npm run settings\`).
\`assent config check assent.yaml\` lists all mistakes in a file, and \`assent config schema\` prints the JSON Schema for
editors; in YAML, this first line is enough:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/assent/assent.schema.json
\`\`\`

- **Durations and sizes have units**: \`300ms\`, \`30s\`, \`10m\`, \`2h\`, \`7d\`; \`512B\`, \`8KiB\`, \`4MiB\`.
- **Secrets stay outside the file**: \`\${env:NAME}\` is replaced by an environment variable and \`\${file:PATH}\` by the content
  of a file (relative to the configuration, without its last line break), anywhere inside a text. A missing one is an error.
  Write \`$\${\` for a literal \`\${\`.
- **Environment variables override the file**: the setting \`asks.wait\` is \`ASSENT_ASKS_WAIT\`, and lists are separated by
  commas. Settings under names that you choose (servers, keys) can only be set in the file.
- **Nothing is ignored**: an unknown setting is an error.
- **SIGHUP reloads**: the new file is checked first; if it has a mistake, the old configuration stays in force. These settings
  change only after a restart: ${restartSettings.map((name) => `\`${name}\``).join(', ')}, adding or removing
  \`inbox\` in \`asks.surfaces\` and, with an inbox, switching sign-in with accounts on or off.
`

export function settingsPage(): string {
  const sections = Object.entries(settings.members as Members).map(([name, setting]) => sectionOf([name], setting))
  return `${[opening.trimEnd(), ...sections].join('\n\n')}\n`
}

function sectionOf(path: readonly string[], setting: Setting): string {
  const heading = `${'#'.repeat(Math.min(path.length + 1, 4))} \`${path.join('.')}\``
  switch (setting.node) {
    case 'leaf':
    case 'list':
      return [heading, setting.about, facts(path, setting)].join('\n\n')
    case 'custom':
      return [heading, setting.about, `- Value: ${setting.words}.`].join('\n\n')
    case 'records':
      return [heading, setting.about, ...membersOf([...path, '<n>'], setting.members)].join('\n\n')
    case 'named': {
      const inside = [...path, '<name>']
      const names = `Names: ${setting.nameWords}.`
      if (setting.of.node === 'leaf' || setting.of.node === 'list')
        return [heading, setting.about, `- ${names}\n- Values: ${setting.of.kind.words}.`].join('\n\n')
      return [heading, setting.about, `- ${names}`, ...membersOf(inside, setting.of.members)].join('\n\n')
    }
    case 'group':
    case 'optional-group':
      return [heading, setting.about, ...membersOf(path, setting.members)].join('\n\n')
  }
}

function membersOf(path: readonly string[], members: Members): string[] {
  return Object.entries(members).map(([name, member]) => sectionOf([...path, name], member))
}

function facts(path: readonly string[], setting: Setting & { node: 'leaf' | 'list' }): string {
  const isList = setting.node === 'list'
  const lines = [
    `- ${isList ? listWords(setting) : 'Value:'} ${setting.kind.words}.`,
    `- Default: ${fallbackOf(setting)}.`,
  ]
  if (!path.includes('<name>') && !path.includes('<n>')) lines.push(`- Variable: \`${variableOf(path)}\`.`)
  return lines.join('\n')
}

function listWords({ allowsOne }: Setting & { node: 'list' }): string {
  return allowsOne ? 'A value or a list; each:' : 'A list; each item:'
}

function fallbackOf(setting: Setting & { node: 'leaf' | 'list' }): string {
  if (setting.fallbackWords !== undefined) return setting.fallbackWords
  if (setting.node === 'list') {
    const shown = setting.fallback.map((one) => `\`${setting.kind.show(one)}\``)
    return shown.length === 0 ? 'none' : shown.join(', ')
  }
  if (setting.isRequired) return 'none; it is required'
  return setting.fallback === undefined ? 'none' : `\`${setting.kind.show(setting.fallback)}\``
}
