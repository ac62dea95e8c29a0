// Lists the gateway's files that one `tools/call` with a question passes through: `npm run call-path`.
//
// Counted with V8's own coverage: the files of packages/gateway/src of which a function ran between the start of the
// call and its result. Client and server are already connected, and the client answers the question.

import { createServer, type RequestListener } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { linearPatterns, startGateway } from 'assent'
import { Count, newestServer, olderServer, whichRegion } from '../test-kit/mcp/asking-tools.ts'
import { connectClient } from '../test-kit/mcp/client.ts'
import { serveSessions } from '../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../test-kit/mcp/serve-2026-07-28.ts'
import type { Revision } from '../test-kit/revisions.ts'
import { openTestStore } from '../test-kit/store/open.ts'

/** At most this many files, per revision of client and server. */
const goals: Readonly<Record<Revision, number>> = { '2025-11-25': 30, '2026-07-28': 26 }
const folder = new URL('../packages/gateway/src/', import.meta.url).href

let isReached = true
for (const revision of Object.keys(goals) as Revision[]) {
  const files = await filesOf(revision)
  console.log(`\n${revision} client and server: ${files.length} files (goal: at most ${goals[revision]})`)
  for (const file of files) console.log(`  ${file}`)
  isReached &&= files.length <= goals[revision]
}
process.exit(isReached ? 0 : 1)

async function filesOf(revision: Revision): Promise<readonly string[]> {
  const { store, keys, close } = await openTestStore({ patterns: linearPatterns })
  const count = new Count()
  const server =
    revision === '2025-11-25'
      ? serveSessions(() => olderServer(count)).listener
      : serveRequests(() => newestServer(count))
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers: { deploy: { url: `${await listen(server)}/mcp` } },
    store,
    keys,
    unseenAfterMs: 0,
  })
  const answer = () => ({ action: 'accept', content: { region: 'eu' } })
  const client = await connectClient(revision, { url: gateway.url }, { answer })
  const call = () => client.call('ask', { questions: [whichRegion] })
  // The first call opens the connection to the server.
  await call()
  await sleep(500)

  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await call()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  await client.close()
  await gateway.close()
  await close()
  const ran = result.filter(
    ({ url, functions }) =>
      url.startsWith(folder) &&
      // The first is the module itself, which ran when it was loaded.
      functions.some(({ functionName, ranges: [all] }) => functionName !== '' && (all?.count ?? 0) > 0),
  )
  return ran.map(({ url }) => url.slice(folder.length)).sort()
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
