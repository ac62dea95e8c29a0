// The input for one field of a form, by the field's kind, and the asker's suggestion for it.

import { ChoiceInput, ChoicesInput, YesNoInput } from './choice-inputs.tsx'
import { type FieldProps, Suggestion } from './field-wrapper.tsx'
import { ListInput } from './list-input.tsx'
import { NumberFieldInput } from './number-input.tsx'
import { TextFieldInput } from './text-input.tsx'

export function FieldInput(props: FieldProps) {
  return (
    <div className="field">
      <KindInput {...props} />
      <Suggestion {...props} />
    </div>
  )
}

function KindInput(props: FieldProps) {
  const { field } = props
  switch (field.kind) {
    case 'text':
      return <TextFieldInput {...props} field={field} />
    case 'number':
      return <NumberFieldInput {...props} field={field} />
    case 'boolean':
      return <YesNoInput {...props} field={field} />
    case 'choice':
      return <ChoiceInput {...props} field={field} />
    case 'choices':
      return <ChoicesInput {...props} field={field} />
    case 'list':
      return <ListInput {...props} field={field} />
  }
}
