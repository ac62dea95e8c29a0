// The agent of the demo: signs in as Ann at the identity provider, and calls one tool through the gateway. The call waits until
// people have decided.
import { connectClient, patientName, textOf } from '../../test-kit/mcp/client.ts'
import { agentToken } from '../../test-kit/oidc/login-browser.ts'
import { waiting } from './text.ts'

const waitsMs = 30 * 60_000

export const calls = {
  production: { tool: 'deploy__rollout', args: { env: 'production', service: 'checkout', version: '2.4.1' } },
  staging: { tool: 'deploy__rollout', args: { env: 'staging', service: 'checkout', version: '2.4.1' } },
  refund: { tool: 'billing__refund', args: { invoice: 'A-1001', amount: 2_500 } },
} as const

export type CallName = keyof typeof calls

export async function callAs(person: string, name: CallName, mcp: string, issuer: string): Promise<void> {
  const { tool, args } = calls[name]
  const headers = { authorization: `Bearer ${await agentToken(issuer, person)}` }
  // A name whose calls the gateway holds open. Other clients get a handle after 50 s and fetch the result with it.
  const options = { name: patientName, elicitation: 'none', timeoutMs: waitsMs } as const
  const client = await connectClient('2026-07-28', { url: mcp, headers }, options)
  try {
    console.log(waiting(tool, args))
    const result = await client.call(tool, args)
    console.log(textOf(result))
    if (result.isError === true) process.exitCode = 1
  } finally {
    await client.close()
  }
}
