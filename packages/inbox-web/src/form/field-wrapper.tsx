// The text around an input: label above, the asker's suggestion and help below, an error instead of the help.
//
// A suggestion is never filled in by itself: the person takes it with a button.

import type { FieldView } from '@assent/core'
import type { ReactNode } from 'react'
import { formText } from '../text/form.ts'
import type { FieldValue } from './form-values.ts'

export interface FieldProps<F extends FieldView = FieldView> {
  readonly field: F
  readonly value: FieldValue | undefined
  readonly error: string | undefined
  readonly onChange: (value: FieldValue | undefined) => void
}

/** The props for label, help and error that every Mantine input takes. */
export function wrapperProps({ field, error }: FieldProps, help?: string) {
  const description = [field.help, help].filter((text) => text !== undefined).join(' ')
  return {
    label: <FieldLabel field={field} />,
    description: error === undefined && description !== '' ? description : undefined,
    error,
    labelProps: { className: 'field-label' },
    descriptionProps: { className: 'field-help' },
    errorProps: { className: 'field-error' },
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
  }
}

function FieldLabel({ field }: Pick<FieldProps, 'field'>): ReactNode {
  return (
    <>
      {field.label}
      {!field.required && <span className="optional">{formText.optional}</span>}
    </>
  )
}

/** Below a field with a suggested value, until the field has that value. */
export function Suggestion({ field, value, onChange }: FieldProps) {
  const suggested = suggestionOf(field)
  if (suggested === undefined || JSON.stringify(suggested) === JSON.stringify(value)) return null
  return (
    <p className="suggestion">
      <span className="suggested">{formText.suggestion.label}</span>{' '}
      <span className="suggestion-value">{suggestedText(suggested)}</span>
      <button type="button" className="link-button" onClick={() => onChange(suggested)}>
        {formText.suggestion.use} <span className="visually-hidden">{formText.suggestion.useFor(field.label)}</span>
      </button>
    </p>
  )
}

function suggestedText(suggested: FieldValue): string {
  if (typeof suggested === 'number') return formText.suggestion.number(suggested)
  return typeof suggested === 'object' ? suggested.join('\n') : String(suggested)
}

/** Options and yes/no are marked in their own inputs. */
function suggestionOf(field: FieldView): FieldValue | undefined {
  return field.kind === 'text' || field.kind === 'number' || field.kind === 'list' ? field.suggestion : undefined
}
