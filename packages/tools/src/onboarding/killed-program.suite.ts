// One action in a process of its own, which kills itself at a named point. Started by tests and by the proof.
//
// Arguments: the root, the action, the point ("" for none) and the time to begin at, so that several begin together.

import { setTimeout as pause } from 'node:timers/promises'
import { type Rehearsing, rehearse } from './rehearsal.suite.ts'

const [root = '', action = '', killAt = '', beginAtMs = '0'] = process.argv.slice(2)
const points: string[] = []

await pause(Math.max(0, Number(beginAtMs) - Date.now()))
const { status, code } = await rehearse({
  root,
  action: action as Rehearsing['action'],
  reached: (point) => {
    points.push(point)
    // Not an exit: nothing of ours gets to run, as after a power cut.
    if (point === killAt) process.kill(process.pid, 'SIGKILL')
  },
}).catch((error: unknown) => ({ status: 'crashed', code: error instanceof Error ? error.message : String(error) }))
process.stdout.write(`${JSON.stringify({ status, code, points })}\n`)
