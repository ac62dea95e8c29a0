// Runs real clients against a fake model: `npm run clients [-- --quick] [--install] [--if-installed] [--only <id>] [--built]
// [--record]`.
//
// Each client is set up by `assent init` and asks through our tools; a scripted person answers in the inbox. The last line
// is the figure; the exit code is 0 if every client asked and got the answers of the person and no others.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inLanes } from '../grid/lanes.ts'
import { type Client, clients } from './catalog.ts'
import { factsOf } from './facts.ts'
import { clientsFolder, install, isInstalled, scriptOf } from './install.ts'
import { judge } from './judge.ts'
import { measuredOf, writeMeasured } from './measured.ts'
import { play } from './play.ts'
import { installProgram } from './program.ts'
import { scenarios } from './steps.ts'
import { factLines, type Row, tableOf } from './table.ts'

/** More would only make the clients wait for a core, and a client gives a server a second to start. */
const runsAtOnce = 2

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    'if-installed': { type: 'boolean', default: false },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
    // Read by builtPackages.
    built: { type: 'boolean', default: false },
  },
})

process.exitCode = await main()

async function main(): Promise<number> {
  if (values.record && (values.quick || values.only !== undefined || values['if-installed'])) {
    say('--record needs a full run of all clients.')
    return 2
  }
  const chosen = clients.filter(({ id }) => values.only === undefined || values.only === id)
  if (chosen.length === 0) {
    say(`Unknown client ${values.only}. There are ${clients.map(({ id }) => id).join(', ')}.`)
    return 2
  }
  const folder = clientsFolder(process.env)
  if (values.install) {
    for (const client of chosen.filter((one) => !isInstalled(one, folder))) {
      say(`installing ${nameOf(client)} into ${folder}`)
      install(client, folder)
    }
  }
  const missing = chosen.filter((client) => !isInstalled(client, folder))
  if (missing.length > 0 && !values['if-installed']) {
    say(`Not installed in ${folder}: ${missing.map(nameOf).join(', ')}. Install with: npm run clients -- --install`)
    return 2
  }
  for (const client of missing) say(`skipped: ${nameOf(client)} not installed`)
  const runnable = chosen.filter((client) => !missing.includes(client))
  return runnable.length === 0 ? 0 : runAll(runnable, folder)
}

async function runAll(chosen: readonly Client[], clientsAt: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-clients-'))
  const program = installProgram(mkdirIn(folder, 'program'))
  const rows: Row[] = []
  const plays = scenarios(values.quick).flatMap((scenario) => chosen.map((client) => ({ client, scenario })))
  await inLanes(runsAtOnce, plays, async ({ client, scenario }) => {
    const at = mkdirIn(folder, `${client.id} ${scenario.name}`.replaceAll(' ', '-'))
    const played = await play({ client, scenario, program, script: scriptOf(client, clientsAt), folder: at })
    rows.push({ played, verdict: judge(played), facts: factsOf(played.recording) })
  })
  const ordered = plays.flatMap(({ client, scenario }) =>
    rows.filter(({ played }) => played.client === client && played.scenario === scenario),
  )
  return report(chosen, ordered, folder)
}

function report(chosen: readonly Client[], rows: readonly Row[], folder: string): number {
  const of = (client: Client) => rows.filter(({ played }) => played.client === client)
  say(`\n${tableOf(rows)}\n`)
  for (const client of chosen) {
    const [first] = of(client)
    if (first !== undefined) say(`${factLines(first).join('\n')}\n`)
  }
  const failed = rows.filter(({ verdict }) => verdict.reasons.length > 0)
  for (const { played, verdict } of failed)
    for (const reason of verdict.reasons) say(`${played.client.title}, ${played.scenario.name}: ${reason}`)
  if (failed.length === 0) rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 })
  else say(`Recordings and logs: ${folder}`)
  const passed = chosen.filter((client) => of(client).every(({ verdict }) => verdict.reasons.length === 0)).length
  const withoutPerson = rows.reduce((sum, { verdict }) => sum + verdict.withoutPerson, 0)
  const isGood = passed === chosen.length && withoutPerson === 0
  if (isGood && values.record)
    writeMeasured(
      chosen.map((client) =>
        measuredOf(
          client,
          of(client).flatMap(({ facts }) => facts ?? []),
        ),
      ),
    )
  say(`clients: ${passed} of ${chosen.length} asked and got the answers, ${withoutPerson} answered without a person`)
  return isGood ? 0 : 1
}

function nameOf({ package: name, version }: Client): string {
  return `${name}@${version}`
}

function mkdirIn(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
