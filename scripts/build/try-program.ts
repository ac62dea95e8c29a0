// Starts the installed program in every way that people and clients use.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launchText } from '../../packages/gateway/src/setup/doctor/text/checks.ts'
import { run } from './run.ts'

const withinMs = 60_000

/** `doctor` ends after 20 s, which can be too short on a busy machine. Its other checks are not repeated. */
const doctorRuns = 3

/** @param home where it was installed. Returns one line per check. */
export async function tryProgram(home: string): Promise<string[]> {
  const { version } = JSON.parse(readFileSync('packages/gateway/package.json', 'utf8'))
  const said = run('npx', ['--no-install', 'assent', '--version'], home).trim()
  if (said !== version) throw new Error(`npx assent --version printed ${said}`)
  return [`npx assent --version prints ${said}`, await tryGateway(home), tryAsClient(home, doctorRuns)]
}

/** A gateway over HTTP, from its first log line to a clean exit. */
async function tryGateway(home: string): Promise<string> {
  writeFileSync(
    join(home, 'assent.yaml'),
    `servers: { none: { command: none } }\nlisten: 127.0.0.1:0\nstore: sqlite:${home}/a.db\n`,
  )
  const child = spawn(program(home), ['gateway', '--config', 'assent.yaml'], { cwd: home, env: plain(home) })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  try {
    const url = await listeningAt(child)
    const answer = await fetch(new URL('/healthz', url))
    if (!answer.ok) throw new Error(`/healthz returned ${answer.status}`)
    child.kill('SIGTERM')
    const code = await ended
    if (code !== 0) throw new Error(`the gateway exited with ${code}`)
    return 'assent gateway answers over HTTP, and ends on SIGTERM'
  } finally {
    child.kill('SIGKILL')
  }
}

/** As a client starts it: `doctor` of the same installation reads a configuration and connects to the server in it. */
function tryAsClient(home: string, runsLeft: number): string {
  const file = join(home, 'home', '.cursor', 'mcp.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { assent: { command: program(home), args: [], env: plain(home) } } }),
  )
  const printed = run(
    process.execPath,
    [join(home, 'node_modules', 'assent', 'dist', 'program', 'main.js'), 'doctor', 'cursor', '--json'],
    home,
    {
      ...plain(home),
      HOME: join(home, 'home'),
    },
  )
  const { live } = JSON.parse(printed).clients[0].places[0]
  for (const [generation, spoken] of Object.entries<{ ok: boolean; because?: string; tools?: string[] }>(live)) {
    if (!spoken.ok && spoken.because?.startsWith(launchText.noResponseYet('')) && runsLeft > 1)
      return tryAsClient(home, runsLeft - 1)
    if (!spoken.ok) throw new Error(`As a server for a client (${generation}): ${spoken.because}`)
    if (!spoken.tools?.some((name) => name.endsWith('request_plan_approval')))
      throw new Error(`The program has unexpected tools: ${spoken.tools}`)
  }
  return `assent serves a client in both generations: ${live.sessions.tookMs} and ${live.stateless.tookMs} ms`
}

function program(home: string): string {
  return join(home, 'node_modules', '.bin', 'assent')
}

/** Uses the Node of this workspace first, and nothing from the environment of the user. */
function plain(home: string): Record<string, string> {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
  return { PATH: path, HOME: join(home, 'home'), ASSENT_HOME: join(home, 'state'), ASSENT_LISTEN: '127.0.0.1:0' }
}

function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => reject(new Error(`the gateway did not listen: ${said}`)), withinMs)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const line = said.split('\n').find((one) => one.includes('"Listening."'))
      if (line === undefined) return
      clearTimeout(timer)
      resolve(JSON.parse(line).url)
    })
    child.on('close', () => reject(new Error(`the gateway exited: ${said}`)))
  })
}
