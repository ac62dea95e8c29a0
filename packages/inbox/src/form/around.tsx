// The words around a widget: label above, help below, error in place of help.

import type { FieldView } from '@assent/core'
import type { ReactNode } from 'react'
import { isSuggestion, type Value } from './content.ts'

export interface FieldProps<F extends FieldView = FieldView> {
  readonly field: F
  readonly value: Value | undefined
  readonly error: string | undefined
  readonly onChange: (value: Value | undefined) => void
}

/** What every widget of Mantine's takes: the words around it. */
export function around({ field, value, error }: FieldProps, help?: string) {
  const words = [field.help, help].filter((one) => one !== undefined).join(' ')
  return {
    label: <FieldLabel field={field} value={value} />,
    description: error === undefined && words !== '' ? words : undefined,
    error,
    labelProps: { className: 'field-label' },
    descriptionProps: { className: 'field-help' },
    errorProps: { className: 'field-error' },
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
  }
}

function FieldLabel({ field, value }: Pick<FieldProps, 'field' | 'value'>): ReactNode {
  return (
    <>
      {field.label}
      {!field.required && <span className="optional">optional</span>}
      {isSuggestion(field, value) && <span className="suggested">suggested</span>}
    </>
  )
}
