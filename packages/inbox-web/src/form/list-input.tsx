// A list of texts, one entry per line.

import type { ListFieldView } from '@assent/core'
import { Textarea } from '@mantine/core'
import { formText } from '../text/form.ts'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

export function ListInput(props: FieldProps<ListFieldView>) {
  const { field, value, onChange } = props
  const lines = typeof value === 'object' ? value : []
  return (
    <Textarea
      {...wrapperProps(props, formText.listHelp(field))}
      rows={4}
      value={lines.join('\n')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value.split('\n'))
      }
    />
  )
}
