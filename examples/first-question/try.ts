import { runInTerminal } from '@assent/sdk/terminal'
import { greet } from './greet.ts'

const result = await runInTerminal(greet)
console.log(result.content[0]?.text)
