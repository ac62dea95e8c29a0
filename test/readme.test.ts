// Checks the README: what it names exists, its generated parts are up to date, and its examples are valid.
import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { registerOnboarding } from '@assent/onboarding'
import { assentTools } from '@assent/tools'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { knownClients } from '../packages/gateway/src/call/clients/known-clients.ts'
import { readConfig } from '../packages/gateway/src/config/read-config.ts'
import type { Members, Setting } from '../packages/gateway/src/config/setting.ts'
import { settings } from '../packages/gateway/src/config/settings.ts'
import { commandLine } from '../packages/gateway/src/program/program.ts'
import { initClients } from '../packages/gateway/src/setup/init/clients.ts'
import { withAllClients, withClients } from '../scripts/docs/clients-table.ts'
import { commandLinesIn, unknownIn } from './readme/command-lines.ts'
import { featuresIn, type Kind } from './readme/feature-table.ts'
import { readText, readWorkspace } from './workspace.ts'

const readme = readText('README.md')
const features = 'docs/reference/features.md'
const published = Object.entries(readWorkspace().packages).filter(([, { private: isPrivate }]) => isPrivate !== true)
const packagePages = published.map(([folder]) => `packages/${folder}/README.md`)
const nothing = () => undefined
const terminal = { out: nothing, err: nothing, variables: {}, isOutColoured: false, isErrColoured: false }
const program = commandLine(terminal, nothing)

test('[README-10] the tables of clients are generated from the client data (npm run docs)', () => {
  expect(withClients(readme)).toBe(readme)
  const page = readText('docs/start/clients/index.md')
  expect(withAllClients(page)).toBe(page)
  for (const { title } of knownClients) expect(page).toContain(`| ${title} `)
  for (const { title, id } of initClients) expect(readme).toMatch(new RegExp(`\\| ${title} +\\| \`${id}\` `))
})

test.each(['README.md', features, ...packagePages])(
  '[README-11] the program has every command and option in %s',
  (path) => {
    const lines = commandLinesIn(readText(path))
    expect(lines.filter((line) => unknownIn(line, program) !== undefined)).toEqual([])
    if (path === 'README.md' || path === features) expect(lines.length).toBeGreaterThan(10)
  },
)

test('[README-11] an unknown command or option is found', () => {
  const page =
    "```sh\nnpx assent inti   # set up\n  A=1 B='c d' assent init --undoo\nassent play -e A=1 npx -y a\n```\n`assent inbox open` `npm ci`"
  const lines = commandLinesIn(page)
  expect(lines).toEqual(['assent inti', 'assent init --undoo', 'assent play -e A=1 npx -y a', 'assent inbox open'])
  expect(lines.map((line) => unknownIn(line, program))).toEqual(['inti', '--undoo', undefined, undefined])
})

test('[README-12] every tool, command, setting and package in the table of features exists', async () => {
  const rows = featuresIn(readText(features))
  expect(rows.length).toBeGreaterThan(20)
  const tools = await toolNames()
  const exists: Readonly<Record<Kind, (name: string) => boolean>> = {
    tool: (name) => tools.includes(name),
    command: (name) => name.startsWith('assent ') && unknownIn(name, program) === undefined,
    setting: (name) => settingAt(name) !== undefined,
    package: (name) => published.some(([, manifest]) => manifest.name === name),
  }
  for (const { title, names, unknown } of rows) {
    expect(unknown, title).toEqual([])
    expect(
      names.filter(({ kind, name }) => !exists[kind](name)),
      title,
    ).toEqual([])
  }
  const named = rows.flatMap(({ names }) => names.map(({ name }) => name))
  expect(tools.filter((name) => !named.includes(name))).toEqual([])
  expect(named).toEqual(expect.arrayContaining(['record', 'policies.pin_descriptions']))
})

test('[README-12] a row that names nothing, or something in another form, is found', () => {
  const row = (where: string) =>
    `<!-- features -->\n\n| a | b | c |\n| - | - | - |\n| x | ${where} | y |\n\n<!-- end of features -->`
  expect(featuresIn(row('settings `keys`, `store`; command `assent migrate`'))[0]).toMatchObject({
    names: [
      { kind: 'setting', name: 'keys' },
      { kind: 'setting', name: 'store' },
      { kind: 'command', name: 'assent migrate' },
    ],
    unknown: [],
  })
  expect(featuresIn(row('soon'))[0]?.unknown).toEqual(['soon'])
  expect(settingAt('inbox.presence')).toBeDefined()
  expect(settingAt('inbox.presense')).toBeUndefined()
})

test.each(['README.md', ...packagePages])(
  '[README-13] the links and pictures in %s lead to files that exist',
  (path) => {
    const targets = [...readText(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
    const inRepository = targets.filter((to) => !/^[a-z]+:/.test(to))
    const isThere = (to: string) => {
      const [file = '', anchor] = to.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      return existsSync(target) && (anchor === undefined || anchorsIn(readText(target)).includes(anchor))
    }
    expect(inRepository.filter((to) => !isThere(to))).toEqual([])
  },
)

test('[README-14] the recording is animated and small enough for a page', () => {
  const path = 'docs/screens/recording.gif'
  expect(readme).toContain(`](${path})`)
  expect(statSync(path).size).toBeLessThan(1_500_000)
  // Each frame of a GIF begins with a graphic control extension: 21 F9 04.
  const frames = readText(path).split('!\u{fffd}\u0004').length - 1
  expect(frames).toBeGreaterThan(20)
})

test('[README-16] the configuration in the README is the file of the example, and has no mistakes', () => {
  const blocks = [...readme.matchAll(/<!-- (\S+\.yaml) -->\n\n```yaml\n([\s\S]*?)```/g)]
  expect(blocks.length).toBe([...readme.matchAll(/```yaml/g)].length)
  for (const [, path = '', text = ''] of blocks) {
    expect(text).toBe(readText(path))
    const read = readConfig(text, { variables: {}, readFile: () => ({ ok: false, reason: 'is not read' }) })
    expect(read).toMatchObject({ ok: true, warnings: [] })
  }
})

test('[README-17] what the roadmap lists as not yet available has no setting and no command', () => {
  const [, roadmap = ''] = /## Status and roadmap([\s\S]*?)\n## /.exec(readme) ?? []
  const missing = ['push', 'tasks', 'OAuth', 'tenants', 'SCIM', 'quotas', 'rate limits']
  for (const word of missing) expect(roadmap).toContain(word)
  const names = Object.keys(settings.members).join(' ')
  for (const word of ['push', 'tasks', 'oauth', 'tenants', 'scim', 'quota', 'rate']) expect(names).not.toContain(word)
  expect(program.commands.map((command) => command.name())).not.toContain('tenants')
})

test('[README-18] each package page begins with a sentence and an example, and states the Node version', () => {
  for (const path of packagePages) {
    const page = readText(path)
    expect(page.split('\n')[2], path).toMatch(/^\S.*/)
    expect(page, path).toMatch(/```(ts|sh|yaml)\n/)
    expect(page, path).toContain('Node 22.18 or later')
    expect(page, path).not.toMatch(/[Ss]tart reading/)
  }
  const examples = globSync('examples/packages/*.ts').map((file) => file.replaceAll('\\', '/'))
  const shown = packagePages.map((path) => /<!-- (examples\/\S+) -->/.exec(readText(path))?.[1])
  expect(shown.every((file) => file !== undefined && existsSync(file))).toBe(true)
  for (const file of examples) expect(shown).toContain(file)
})

test('[README-19] the README names every tool that an agent gets', async () => {
  const tools = [...(await toolNames()), 'assent__await_answer']
  expect(tools.length).toBe(8)
  expect(tools.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})

/** The tools of `npx assent`, as a client lists them. */
async function toolNames(): Promise<string[]> {
  const folder = process.cwd()
  const register: Parameters<typeof assentTools>[0]['additional'] = [
    { instructions: '', register: (server, assent) => registerOnboarding(server, assent, { folder, home: folder }) },
  ]
  const server = assentTools({ folder, additional: register })()
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'reader', version: '1.0.0' })
  await Promise.all([server.connect(far), client.connect(near)])
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

function settingAt(path: string): Setting | undefined {
  let at: Setting | undefined = settings
  for (const name of path.split('.'))
    at = at !== undefined && 'members' in at ? (at.members as Members)[name] : undefined
  return at
}

/** As GitHub makes them from headings. */
function anchorsIn(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
