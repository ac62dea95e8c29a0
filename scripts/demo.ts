// A demo for platform teams, in a checkout: `npm run demo` starts a gateway with two ordinary servers and policies, its own
// PostgreSQL server and an identity provider, and prints what to click. `npm run demo -- call …` makes a call as an agent.
import { parseArgs } from 'node:util'
import { type CallName, callAs, calls } from './demo/call.ts'
import { startPlatform } from './demo/platform.ts'
import { instructions, starting, stopped, stopping, usage } from './demo/text.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { mcp: { type: 'string' }, issuer: { type: 'string' } },
})
const [command, name = ''] = positionals

if (command === undefined) await demo()
else if (command === 'call' && isCall(name) && values.mcp !== undefined && values.issuer !== undefined)
  await callAs('ann', name, values.mcp, values.issuer)
else {
  console.error(usage)
  process.exitCode = 2
}

async function demo(): Promise<void> {
  const stop = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  console.log(starting)
  const platform = await startPlatform()
  console.log(instructions(platform))
  await stop
  console.log(stopping)
  await platform.close()
  console.log(stopped)
}

function isCall(name: string): name is CallName {
  return Object.hasOwn(calls, name)
}
