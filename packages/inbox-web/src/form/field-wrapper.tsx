// The text around an input: label above, help below, an error instead of the help.

import type { FieldView } from '@assent/core'
import type { ReactNode } from 'react'
import { type FieldValue, isSuggestion } from './form-values.ts'

export interface FieldProps<F extends FieldView = FieldView> {
  readonly field: F
  readonly value: FieldValue | undefined
  readonly error: string | undefined
  readonly onChange: (value: FieldValue | undefined) => void
}

/** The props for label, help and error that every Mantine input takes. */
export function wrapperProps({ field, value, error }: FieldProps, help?: string) {
  const description = [field.help, help].filter((text) => text !== undefined).join(' ')
  return {
    label: <FieldLabel field={field} value={value} />,
    description: error === undefined && description !== '' ? description : undefined,
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
