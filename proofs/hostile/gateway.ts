// A gateway process for the hostile proof, over HTTP or stdio.
//
// It reports to its parent how long its event loop was blocked, how much of that was its own work, its memory, and the
// errors of the gateway. It catches nothing: an error that would end a gateway ends this process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { type GatewayOptions, serveStdio, startGateway } from 'assent'

export interface Report {
  readonly url?: string
  readonly bytes: number
  /** Wall-clock time, and the processor time of this process. */
  readonly stoodMs: number
  readonly ownMs: number
  readonly errors: readonly string[]
}

const [mode = '', servers = '{}'] = process.argv.slice(2)
const people = ['ann', 'bob', 'eve']
const lookEveryMs = 5
const reportEveryMs = 200

const folder = mkdtempSync(join(tmpdir(), 'assent-hostile-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const errors: string[] = []
const keys = createKeyRing([{ id: 'hostile', secret: Buffer.alloc(32, 7) }])
const options: Omit<GatewayOptions, 'listen'> = {
  servers: JSON.parse(servers),
  store: await openSqlite(join(folder, 'assent.db'), { keys }),
  keys,
  // Longer than a busy machine needs to send an answer, so more questions are open at once.
  askWaitMs: 15_000,
  openAsks: { perCaller: 100_000, total: 100_000 },
  onError: (error) => errors.push(String(error)),
}

function identify({ headers }: { headers: Record<string, unknown> }) {
  const principal = String(headers['x-person'] ?? '')
  if (principal === 'boom') throw new Error('The directory is unavailable.')
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
  const report = () => {
    const report: Report = { bytes: process.memoryUsage.rss(), stoodMs, ownMs, errors: errors.splice(0) }
    process.send?.(url === undefined ? report : { ...report, url })
    ;[stoodMs, ownMs] = [0, 0]
  }
  setInterval(report, reportEveryMs).unref()
  process.on('message', report)
  report()
}
