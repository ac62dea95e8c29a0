import { expect, test } from 'vitest'
import { configOf } from '../config/read-config.suite.ts'
import { reloadableOf } from './reloadable.ts'

const base = 'servers: { files: { command: my-server } }\n'
const recordOf = (text: string) => reloadableOf(configOf(`${base}${text}`), Date.now, () => undefined).record

test('[RECORD-7] `record` and `record_arguments` decide what is recorded', () => {
  expect(recordOf('')).toEqual({ isOn: false, keepsArguments: false })
  expect(recordOf('record: calls')).toEqual({ isOn: true, keepsArguments: false })
  expect(recordOf('record: calls\nrecord_arguments: true')).toEqual({ isOn: true, keepsArguments: true })
})
