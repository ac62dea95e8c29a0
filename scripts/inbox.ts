// The inbox by itself, to look at and to work on: `npm run inbox` starts it with sample asks and prints a link.
import { aDesk } from './inbox/desk.ts'
import { raiseSamples, raiseSecret } from './inbox/samples.ts'

const desk = await aDesk({ port: Number(process.env.PORT ?? 7421) })
await raiseSamples(desk.store)
await raiseSecret(desk.store, desk.url)
console.log(`Open ${await desk.linkFor({ principal: 'ann', groups: [] })}`)
console.log(`For a second person, in another browser: ${await desk.linkFor({ principal: 'ben', groups: [] })}`)
