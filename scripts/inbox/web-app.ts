// Builds the web app if it is missing or older than its sources.
//
// In its own process, because the environment of a test would make Vite build React's development version. If several processes
// need it at once, one builds and the others wait.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('../../packages/inbox-web/', import.meta.url))
const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const folder = fileURLToPath(new URL('../../packages/gateway/web', import.meta.url))
const lock = `${home}node_modules/.building`
const buildMs = 120_000

export async function builtWebApp(): Promise<string> {
  const giveUpAt = Date.now() + buildMs
  while (isStale()) {
    if (takeLock()) {
      try {
        if (isStale()) buildWebApp()
      } finally {
        rmdirSync(lock)
      }
    } else if (Date.now() > giveUpAt)
      throw new Error(`Another process has been building the web app for too long. If none is running, remove ${lock}.`)
    else await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return folder
}

export function buildWebApp(): void {
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', home, '--logLevel', 'warn'], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Building the web app failed:\n${stdout}${stderr}`)
}

function takeLock(): boolean {
  mkdirSync(`${home}node_modules`, { recursive: true })
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function isStale(): boolean {
  const page = `${folder}/index.html`
  if (!existsSync(page)) return true
  const builtAt = statSync(page).mtimeMs
  const sources = globSync(['src/**/*', 'public/*', 'index.html', 'vite.config.ts', 'package.json'], { cwd: home })
  return sources.some((path) => statSync(home + path).mtimeMs > builtAt)
}
