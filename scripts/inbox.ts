// Starts the inbox alone with sample asks, for development, and prints a sign-in link: `npm run inbox`.
import { startInboxServer } from '../test-kit/gateway/inbox-server.ts'
import { raiseSamples, raiseSecret } from '../test-kit/gateway/sample-asks.ts'

const inbox = await startInboxServer({ port: Number(process.env.PORT ?? 7421) })
await raiseSamples(inbox.store)
await raiseSecret(inbox.store, inbox.url)
console.log(`Open ${await inbox.linkFor({ principal: 'ann', groups: [] })}`)
console.log(`For a second person, in another browser: ${await inbox.linkFor({ principal: 'ben', groups: [] })}`)
