// Runs commands of the installed program, one after the other, in this process: a new process per command would need a second of the
// processor each time, and the scripted person looks for questions all the time.
//
// Arguments: the folder of the installed program. Each line of standard input is a JSON list of words; each line of standard
// output is the result.

import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const [installed = ''] = process.argv.slice(2)
const { runCommandLine } = await import(pathToFileURL(join(installed, 'dist', 'program', 'program.js')).href)

for await (const line of createInterface({ input: process.stdin })) {
  let text = ''
  const terminal = {
    out: (more: string) => {
      text += `${more}\n`
    },
    err: (more: string) => process.stderr.write(`${more}\n`),
    variables: process.env,
    isOutColoured: false,
    isErrColoured: false,
  }
  const code = await runCommandLine(JSON.parse(line), terminal)
  process.stdout.write(`${JSON.stringify({ code, text })}\n`)
}
