// A list of texts, one entry per line.

import type { ListFieldView } from '@assent/core'
import { Textarea } from '@mantine/core'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

export function ListInput(props: FieldProps<ListFieldView>) {
  const { field, value, onChange } = props
  const lines = typeof value === 'object' ? value : []
  return (
    <Textarea
      {...wrapperProps(props, helpOf(field))}
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
    ...(unique === true ? ['No duplicates.'] : []),
    ...(pattern === undefined ? [] : [`Each must match ${pattern}`]),
  ].join(' ')
}
