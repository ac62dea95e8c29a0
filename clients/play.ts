// One run of one client: set up by `assent init`, started with the fake model, and answered by the scripted person.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AskView } from '@assent/core'
import { run } from '../scripts/build/run.ts'
import type { Client } from './catalog.ts'
import { FakeModel } from './model/script.ts'
import { ScriptedPerson } from './person.ts'
import type { Program } from './program.ts'
import { type Recorded, type RecorderSettings, settingsName } from './recorder.ts'
import type { Scenario, Step } from './steps.ts'

export interface Play {
  readonly client: Client
  readonly scenario: Scenario
  readonly program: Program
  /** The client's own program. */
  readonly script: string
  /** For everything that the run writes. */
  readonly folder: string
}

export interface PlayedStep {
  readonly step: Step
  /** Undefined if the question did not reach the inbox. */
  readonly ask?: AskView
  /** When the person began to answer; undefined if the person did not. */
  readonly answeredAt?: number
  /** Why the answer of the person was not recorded. */
  readonly problem?: string
  /** What the model read, and when. */
  readonly result?: { readonly text: string; readonly at: number }
}

export interface Played {
  readonly client: Client
  readonly scenario: Scenario
  readonly steps: readonly PlayedStep[]
  readonly recording: readonly Recorded[]
  /** The asks that have ended, and those that this person answered. */
  readonly ended: readonly AskView[]
  readonly answered: ReadonlySet<string>
  /** Requests to the model, and how many of them did not offer the tool that the model wanted. */
  readonly turns: number
  readonly missing: number
  /** The exit code of the client; undefined if it did not end in time. */
  readonly code: number | undefined
}

const limits = {
  /** From the last result to the next question, or from the start to the first one. */
  questionMs: 120_000,
  /** From the answer to the result, or from the deadline of an ask without an answer. */
  resultMs: 120_000,
  /** From the last result to the end of the client. */
  endMs: 20_000,
  /** How long the person reads a question. */
  readMs: 1_500,
}

/** Sets the client up for the user, without questions. */
export function initCommand({ id }: Client): readonly string[] {
  return ['init', id, '--yes']
}

export async function play({ client, scenario, program, script, folder }: Play): Promise<Played> {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(home, { recursive: true })
  mkdirSync(project)
  run('git', ['init', '--quiet', project])
  const recording = join(folder, 'recording.jsonl')
  const variables = { ASSENT_LISTEN: '127.0.0.1:0', ASSENT_DESKTOP_NOTIFY: 'false' }
  const wait = scenario.wait === undefined ? {} : { ASSENT_ASKS_WAIT: scenario.wait }
  write(join(home, settingsName), { file: recording, variables: { ...variables, ...wait } } satisfies RecorderSettings)
  for (const [path, content] of Object.entries(client.files ?? {})) write(join(home, path), content)
  const context = { folder: project, variables: environment(home) }
  const init = await program.command(initCommand(client), context)
  if (init.code !== 0) throw new Error(`assent init ${client.id} failed: ${init.text}`)

  const model = new FakeModel(
    scenario.steps.map(({ call }) => call),
    client.work,
  )
  const listening = await model.serve(client.api)
  const started = client.start(listening.origin)
  const process_ = startClient(script, started, { folder, project, home })
  const commands = program.commands(context)
  const person = new ScriptedPerson(commands)
  try {
    const steps: PlayedStep[] = []
    for (const step of scenario.steps) {
      if (process_.isOver()) break
      const played = await playStep(step, { person, model, isOver: process_.isOver, index: steps.length })
      steps.push(played)
      // The next question would be the one of this step.
      if (played.result === undefined) break
    }
    await process_.over(limits.endMs)
    const ended = await person.ended()
    const { turns, missing } = model
    const code = process_.code()
    const { answered } = person
    return { client, scenario, steps, recording: read(recording), ended, answered, turns, missing, code }
  } finally {
    process_.kill()
    await commands.close()
    await listening.close()
  }
}

interface Playing {
  readonly person: ScriptedPerson
  readonly model: FakeModel
  readonly isOver: () => boolean
  /** The number of the step: as many results came before it. */
  readonly index: number
}

async function playStep(step: Step, { person, model, isOver, index }: Playing): Promise<PlayedStep> {
  const noQuestion = after(limits.questionMs)
  const ask = await person.nextAsk(() => noQuestion() || isOver() || model.results.length > index)
  const resultWithin = async (ms: number) => {
    const tooLate = after(ms)
    while (model.results[index] === undefined && !tooLate() && !isOver()) await delay(50)
    return model.results[index]
  }
  if (ask === undefined || step.answer === undefined) {
    const result = await resultWithin(limits.resultMs)
    return { step, ...(ask && { ask }), ...(result && { result }) }
  }
  await resultWithin(step.afterMs ?? limits.readMs)
  const answeredAt = Date.now()
  const problem = await person.answer(ask, step.answer)
  const result = await resultWithin(limits.resultMs)
  return { step, ask, answeredAt, ...(problem && { problem }), ...(result && { result }) }
}

/** Whether this time has passed since the call. */
function after(ms: number): () => boolean {
  const endsAt = Date.now() + ms
  return () => Date.now() > endsAt
}

/** Nothing from the environment of the user. Everything except loopback is behind a proxy that does not exist. */
function environment(home: string): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9'
  const loopback = '127.0.0.1,localhost'
  return {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    NO_COLOR: '1',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: loopback,
    no_proxy: loopback,
  }
}

interface StartedClient {
  isOver(): boolean
  code(): number | undefined
  over(withinMs: number): Promise<void>
  kill(): void
}

function startClient(
  script: string,
  { args, variables }: ReturnType<Client['start']>,
  { folder, project, home }: { readonly folder: string; readonly project: string; readonly home: string },
): StartedClient {
  const log = openSync(join(folder, 'client.log'), 'a')
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    cwd: project,
    env: { ...environment(home), ...variables },
    stdio: ['ignore', log, log],
    // A process group, because clients start themselves again and start servers.
    detached: true,
  })
  let code: number | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', (given) => {
      code = given ?? -1
      resolve()
    })
  })
  return {
    isOver: () => code !== undefined,
    code: () => code,
    over: (withinMs) => Promise.race([exited, delay(withinMs, undefined, { ref: false })]),
    kill: () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch (error) {
        // The whole group has ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}

function write(path: string, content: object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}

function read(recording: string): Recorded[] {
  try {
    return readFileSync(recording, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  } catch (error) {
    // The client never started the server.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
