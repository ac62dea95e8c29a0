// A list of texts, one entry per line.

import type { ListFieldView } from '@assent/core'
import { Textarea } from '@mantine/core'
import { around, type FieldProps } from './around.tsx'

export function ListInput(props: FieldProps<ListFieldView>) {
  const { field, value, onChange } = props
  const lines = typeof value === 'object' ? value : []
  return (
    <Textarea
      {...around(props, helpOf(field))}
      rows={4}
      value={lines.join('\n')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value.split('\n'))
      }
    />
  )
}

function helpOf({ minItems, maxItems, unique, pattern }: ListFieldView): string {
  return [
    'One entry per line.',
    ...(minItems === undefined ? [] : [`At least ${minItems}.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(unique === true ? ['No entry twice.'] : []),
    ...(pattern === undefined ? [] : [`Each must match ${pattern}`]),
  ].join(' ')
}
