// Formats a change as text that a person can paste into a file or find in it.

import type { Change } from './change.ts'
import { written } from './jsonc-text.ts'
import { tableText } from './toml.ts'
import { nested } from './values.ts'
import { entryLines } from './yaml.ts'

export function toPaste(change: Change): string {
  if (change.kind !== 'entry') return change.text
  const { form, path, value } = change
  if (form === 'toml') return tableText(path, value, '\n')
  if (form === 'jsonc') return written(nested(path, value), { indent: '', unit: '  ', eol: '\n' })
  const [outer = '', inner = ''] = path
  return [`${outer}:`, ...entryLines(inner, value, '  ', '  ')].join('\n')
}
