// Runs `assent doctor` on a test machine, in this process.

import { runDoctor } from '../../program/run-doctor.ts'
import type { TestMachine } from '../init/machine.suite.ts'
import type { Report } from './examine.ts'

export async function doctor(
  machine: TestMachine,
  names: string[] = [],
  options: object = {},
  variables: NodeJS.ProcessEnv = {},
): Promise<{ code: number; report: Report }> {
  let out = ''
  const terminal = {
    out: (text: string) => {
      out += text
    },
    err: () => undefined,
    variables: { ...machine.variables, PATH: process.env.PATH, ASSENT_LISTEN: '127.0.0.1:1', ...variables },
    isOutColoured: false,
    isErrColoured: false,
  }
  const code = await runDoctor(names, { start: true, json: true, ...options }, terminal, machine.repository)
  return { code, report: JSON.parse(out) }
}
