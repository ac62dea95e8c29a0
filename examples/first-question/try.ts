import { runInTerminal } from '@assent/sdk/terminal'
import { newServer } from './greet.ts'

const result = await runInTerminal(newServer().greet)
console.log(result.content[0]?.text)
