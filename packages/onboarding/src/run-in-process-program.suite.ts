// Runs one action in a separate process, which kills itself at a named point. Used by tests and by proofs/onboarding.
//
// Arguments: the root, the action, the point ("" for none) and the time to begin at, so that several begin together.

import { setTimeout as pause } from 'node:timers/promises'
import { type ActionOptions, runAction } from './run-action.suite.ts'

const [root = '', action = '', killAt = '', beginAtMs = '0'] = process.argv.slice(2)
const points: string[] = []

await pause(Math.max(0, Number(beginAtMs) - Date.now()))
const { status, code } = await runAction({
  root,
  action: action as ActionOptions['action'],
  reached: (point) => {
    points.push(point)
    // SIGKILL and not an exit: none of our code runs afterwards, as after a power cut.
    if (point === killAt) process.kill(process.pid, 'SIGKILL')
  },
}).catch((error: unknown) => ({ status: 'crashed', code: error instanceof Error ? error.message : String(error) }))
process.stdout.write(`${JSON.stringify({ status, code, points })}\n`)
