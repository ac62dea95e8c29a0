// A private npm registry on loopback (verdaccio), with our packages as they would be published. All other packages come from
// the registry that npm is configured to use.
//
// Verdaccio is installed into a scratch folder and not a development dependency: it has over 300 packages, and only this script
// uses it. Nothing of the configuration of npm is stored outside the scratch folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test-kit/listen.ts'
import { run } from '../build/run.ts'

const startsWithinMs = 60_000

const manifest = {
  private: true,
  dependencies: { verdaccio: '~6.10.0' },
  // A part of verdaccio depends on a version that was withdrawn.
  overrides: { 'node-fetch': '2.7.0' },
}

export interface LocalRegistry {
  readonly url: string
  /** Of verdaccio. */
  readonly version: string
  publish(tarball: string): void
  stop(): Promise<void>
}

export async function startRegistry(folder: string): Promise<LocalRegistry> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', '--ignore-scripts', '--prefer-offline'], folder)
  const program = join(folder, 'node_modules', 'verdaccio')
  const { version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'))
  const config = join(folder, 'config.yaml')
  writeFileSync(config, settings(run('npm', ['config', 'get', 'registry']).trim()))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const log = openSync(join(folder, 'registry.log'), 'a')
  const args = [join(program, 'bin', 'verdaccio'), '--config', config, '--listen', `127.0.0.1:${port}`]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', log, log] })
  const stop = () => ended(child)
  try {
    await answers(`${url}-/ping`, child)
  } catch (error) {
    await stop()
    throw new Error(`${error}\n${readFileSync(join(folder, 'registry.log'), 'utf8').slice(-2_000)}`)
  }
  return {
    url,
    version,
    publish: (tarball) => {
      // npm refuses to publish without a token; this registry accepts any.
      const token = { [`npm_config_//127.0.0.1:${port}/:_authToken`]: 'any' }
      const args = ['publish', tarball, '--registry', url, '--access', 'public', '--ignore-scripts']
      run('npm', args, folder, { ...process.env, ...token })
    },
    stop,
  }
}

function settings(uplink: string): string {
  return `
storage: ./storage
uplinks: { npm: { url: ${JSON.stringify(uplink)}, timeout: 60s, max_fails: 100 } }
packages:
  assent: { access: $all, publish: $all }
  '@assent/*': { access: $all, publish: $all }
  '**': { access: $all, proxy: npm }
max_body_size: 20mb
log: { type: stdout, format: json, level: warn }
`
}

async function answers(address: string, child: ChildProcess): Promise<void> {
  for (const giveUpAt = Date.now() + startsWithinMs; Date.now() < giveUpAt; ) {
    if (child.exitCode !== null) throw new Error(`The registry ended with ${child.exitCode}.`)
    const response = await fetch(address).catch(() => undefined)
    if (response?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The registry did not start.')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await over
}
