// Text on one or several lines; email, link, date and time with the browser's own inputs.

import type { TextFieldView } from '@assent/core'
import { Textarea, TextInput } from '@mantine/core'
import { formText } from '../text/form.ts'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

type Props = FieldProps<TextFieldView>

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

export function TextFieldInput(props: Props) {
  const { field, value, onChange } = props
  const shown = typeof value === 'string' ? value : ''
  const help = formText.text.help(field)
  if (field.lines === 'several') {
    return (
      <Textarea
        {...wrapperProps(props, help)}
        rows={4}
        value={shown}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  }
  if (field.format === 'date-time') return <DateTimeInput {...props} />
  return (
    <TextInput
      {...wrapperProps(props, help)}
      type={field.format === undefined ? 'text' : inputTypes[field.format]}
      value={shown}
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The browser's picker works in local time; the value that is sent includes the offset from UTC. */
function DateTimeInput(props: Props) {
  const { value, onChange } = props
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <TextInput
      {...wrapperProps(props, formText.text.timeZone(zone))}
      type="datetime-local"
      step={1}
      value={typeof value === 'string' ? toLocal(value) : ''}
      onChange={({ currentTarget }) => onChange(fromLocal(currentTarget.value))}
    />
  )
}

function toLocal(dateTime: string): string {
  const date = new Date(dateTime)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function fromLocal(local: string): string | undefined {
  const date = new Date(local)
  if (local === '' || Number.isNaN(date.getTime())) return undefined
  const offset = -date.getTimezoneOffset()
  const two = (count: number) => String(Math.floor(Math.abs(count))).padStart(2, '0')
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`
  return `${local.length === 16 ? `${local}:00` : local}${zone}`
}
