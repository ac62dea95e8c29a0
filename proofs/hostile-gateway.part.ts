// A gateway in a process of its own, for the hostile proof: over HTTP or on its standard input and output.
//
// It tells its parent how long its event loop stood still, how much of that was its own work, how much memory it has, and
// what trouble it had. It catches nothing: what would end a gateway ends this one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { type GatewayOptions, serveStdio, startGateway } from 'assent'

export interface Report {
  readonly url?: string
  readonly bytes: number
  /** By the clock, the turns of other processes included, and what of it was spent by this one. */
  readonly stoodMs: number
  readonly ownMs: number
  readonly troubles: readonly string[]
}

const [mode = '', servers = '{}'] = process.argv.slice(2)
const people = ['ann', 'bob', 'eve']
const lookEveryMs = 5
const tellEveryMs = 200

const folder = mkdtempSync(join(tmpdir(), 'assent-hostile-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const troubles: string[] = []
const keys = createKeyRing([{ id: 'hostile', secret: Buffer.alloc(32, 7) }])
const options: Omit<GatewayOptions, 'listen'> = {
  servers: JSON.parse(servers),
  store: await openSqlite(join(folder, 'assent.db'), { keys }),
  keys,
  askWaitMs: 3_000,
  onTrouble: (error) => troubles.push(String(error)),
}

function identify({ headers }: { headers: Record<string, unknown> }) {
  const principal = String(headers['x-person'] ?? '')
  if (principal === 'boom') throw new Error('The directory is away.')
  return people.includes(principal) ? { principal, groups: [] } : undefined
}

if (mode === 'stdio') {
  watch()
  await serveStdio(options)
  process.exit(0)
}
const gateway = await startGateway({ ...options, listen: { host: '127.0.0.1', port: 0 }, identify })
watch(gateway.url)
process.on('disconnect', () => process.exit(0))

function watch(url?: string): void {
  let [at, used] = [performance.now(), process.cpuUsage()]
  let [stoodMs, ownMs] = [0, 0]
  setInterval(() => {
    const [now, usage] = [performance.now(), process.cpuUsage(used)]
    stoodMs = Math.max(stoodMs, now - at - lookEveryMs)
    ownMs = Math.max(ownMs, Math.min(now - at, (usage.user + usage.system) / 1_000) - lookEveryMs)
    ;[at, used] = [now, process.cpuUsage()]
  }, lookEveryMs).unref()
  const tell = () => {
    const report: Report = { bytes: process.memoryUsage.rss(), stoodMs, ownMs, troubles: troubles.splice(0) }
    process.send?.(url === undefined ? report : { ...report, url })
    ;[stoodMs, ownMs] = [0, 0]
  }
  setInterval(tell, tellEveryMs).unref()
  process.on('message', tell)
  tell()
}
