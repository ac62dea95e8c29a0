// The page "Every setting", written from the description of all settings.

import { type Members, type Setting, variableOf } from './setting.ts'
import { settings } from './settings.ts'

const opening = `# Every setting

This page is made from the description that the gateway itself reads its configuration by: \`npm run settings\` writes it,
and a test fails when it is out of date. \`assent config check assent.yaml\` explains every mistake in a file, and
\`assent config schema\` prints the JSON Schema for editors; in YAML, this line on top is enough:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/assent/assent.schema.json
\`\`\`

- **Durations and sizes carry units**: \`300ms\`, \`30s\`, \`10m\`, \`2h\`, \`7d\`; \`512B\`, \`8KiB\`, \`4MiB\`.
- **Secrets stay outside the file**: \`\${env:NAME}\` stands for an environment variable and \`\${file:PATH}\` for the content of a
  file (relative to the configuration, without its last line break), anywhere inside a text. One that is missing is an error. For the
  two characters \`\${\` themselves write \`$\${\`.
- **Environment variables override the file**: the setting \`asks.wait\` is \`ASSENT_ASKS_WAIT\`, and lists are separated by
  commas. Whatever has a name of your own choosing (servers, keys) is set in the file alone.
- **Nothing is ignored**: a name that is no setting is an error, and so is a setting that this version does not have yet.
- **SIGHUP reloads**: the new file is checked first; if it has a mistake the old one stays in force. \`listen\`, \`store\`, \`keys\`,
  \`metrics.listen\`, \`limits.connections\` and \`limits.request_within\` are fixed until a restart.
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
    case 'not-yet':
      return [heading, `**Not in this version yet**, and refused when it is given. ${setting.about}`].join('\n\n')
    case 'named': {
      const inside = [...path, '<name>']
      const names = `A name is ${setting.nameWords}.`
      if (setting.of.node === 'leaf')
        return [heading, setting.about, `- ${names}\n- Each is ${setting.of.kind.words}.`].join('\n\n')
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
    `- ${isList ? 'A list; each is' : 'It is'} ${setting.kind.words}.`,
    `- Default: ${fallbackOf(setting)}.`,
  ]
  if (!path.includes('<name>')) lines.push(`- Variable: \`${variableOf(path)}\`.`)
  return lines.join('\n')
}

function fallbackOf(setting: Setting & { node: 'leaf' | 'list' }): string {
  if (setting.fallbackWords !== undefined) return setting.fallbackWords
  if (setting.node === 'list') {
    const shown = setting.fallback.map((one: unknown) => `\`${setting.kind.show(one as never)}\``)
    return shown.length === 0 ? 'none' : shown.join(', ')
  }
  if (setting.isRequired) return 'none; it is needed'
  return setting.fallback === undefined ? 'none' : `\`${setting.kind.show(setting.fallback)}\``
}
