// Generates one page per client from the data that `assent init` and `assent doctor` use.
//
// The paths are those of a machine without any of the clients' own variables; `~` is the home folder.
import { clientReportOf } from '../../packages/gateway/src/setup/doctor/client-report.ts'
import { clientTraitsText as traits } from '../../packages/gateway/src/setup/doctor/text/checks.ts'
import { type InitClient, initClients, type WantedEntry } from '../../packages/gateway/src/setup/init/clients.ts'
import { toPaste } from '../../packages/gateway/src/setup/init/edit/paste.ts'
import { npxLaunch } from '../../packages/gateway/src/setup/init/launch.ts'
import type { Machine } from '../../packages/gateway/src/setup/init/machine.ts'
import { table } from './table.ts'
import { clientPageText as text } from './text/clients.ts'

export interface GeneratedPage {
  readonly path: string
  readonly text: string
}

const projectRoot = 'project'

/** In docs/screens; `npm run screenshots` takes it. */
export function clientPicture({ id }: { readonly id: string }): string {
  return `client-${id}.png`
}

export function clientPages(version: string): GeneratedPage[] {
  return initClients.map((client) => ({
    path: `docs/start/clients/${client.id}.md`,
    text: pageOf(client, version),
  }))
}

function pageOf(client: InitClient, version: string): string {
  const linux = machineOf('linux', version)
  const server = client.server(linux, undefined)
  const report = clientReportOf(client.title)
  return `${[
    `# ${client.title}`,
    text.intro(client.title),
    text.setUp(client.id, client.title, client.next('user')),
    report.forms === traits.notSupported ? text.answerInInbox : text.answerHere(client.title),
    text.picture(client.title, clientPicture(client)),
    ...(client.isUserAlone ? [text.userOnly(client.title)] : [text.project(client.id), ...nextInProject(client)]),
    text.questionsHeading,
    table(text.questions(client.title, report)),
    text.writtenHeading,
    table(filesOf(client, version)),
    ...(client.rules(linux, undefined).some(isRules) ? [] : [noRules(client, linux)]),
    text.entry,
    fenced(server),
    text.undo,
    text.limitsHeading,
    text.limits(client.title, limitsOf(client, version)),
    text.furtherReading,
  ].join('\n\n')}\n`
}

/** The rows of the table of files: purpose, for the user, for the project. */
function filesOf(client: InitClient, version: string): string[][] {
  const linux = machineOf('linux', version)
  const own = [client.server(linux, undefined), ...client.rules(linux, undefined)]
  const shared = [client.server(linux, projectRoot), ...client.rules(linux, projectRoot)]
  const purposes = [...new Set([...own, ...shared].map(({ purpose }) => purpose))]
  const fileOf = (entries: readonly WantedEntry[], purpose: string) => {
    const file = entries.find((entry) => entry.purpose === purpose)?.file
    return file === undefined ? text.none : `\`${shown(file)}\``
  }
  return [
    [text.columns.what, text.columns.user, text.columns.project],
    ...purposes.map((purpose) => [text.purposes[purpose], fileOf(own, purpose), fileOf(shared, purpose)]),
    ...otherPlatforms(client, version),
  ]
}

/** Where the server's entry is on macOS and Windows, if it is elsewhere. */
function otherPlatforms(client: InitClient, version: string): string[][] {
  const onLinux = client.server(machineOf('linux', version), undefined).file
  return (['darwin', 'win32'] as const).flatMap((platform) => {
    const { file } = client.server(machineOf(platform, version), undefined)
    return file === onLinux ? [] : [[text.onPlatform[platform], `\`${shown(file)}\``, text.same]]
  })
}

/** Only if it differs from the next step of a user. */
function nextInProject(client: InitClient): string[] {
  const step = client.next('project')
  return step === client.next('user') ? [] : [step]
}

function limitsOf(client: InitClient, version: string): string[] {
  const { inbox, waits, forms, links } = clientReportOf(client.title)
  const linux = machineOf('linux', version)
  const rules = client.rules(linux, undefined)
  return [
    ...(forms === traits.notSupported ? [text.limit.noForms] : []),
    ...(links === traits.notSupported ? [text.limit.noLinks] : []),
    ...(inbox.includes('faster than a person') ? [text.limit.fast] : []),
    ...(waits.includes('handle') ? [text.limit.handle] : []),
    ...(rules.some(isRules) ? [] : [text.limit.noRules]),
    ...(rules.some(({ purpose }) => purpose === 'command') ? [] : [text.limit.noCommand]),
    ...(client.isUserAlone ? [text.limit.userOnly] : []),
  ]
}

function noRules(client: InitClient, machine: Machine): string {
  return client.rules(machine, projectRoot).some(isRules) ? text.rulesInProjectOnly : text.noRulesAtAll
}

function isRules({ purpose }: WantedEntry): boolean {
  return purpose === 'rules' || purpose === 'agent'
}

function fenced({ change }: WantedEntry): string {
  const language = change.kind !== 'entry' ? 'text' : change.form === 'jsonc' ? 'json' : change.form
  return `\`\`\`${language}\n${toPaste(change).trimEnd()}\n\`\`\``
}

function machineOf(platform: NodeJS.Platform, version: string): Machine {
  const program = { script: '', version, node: 'node' }
  const variables = platform === 'win32' ? { APPDATA: '%APPDATA%' } : {}
  return {
    home: '~',
    folder: projectRoot,
    repository: projectRoot,
    platform,
    variables,
    program,
    launch: npxLaunch(program),
  }
}

function shown(file: string): string {
  const path = file.replaceAll('\\', '/').replace(`${projectRoot}/`, '')
  return path.startsWith('%APPDATA%') ? path.replaceAll('/', '\\') : path
}
