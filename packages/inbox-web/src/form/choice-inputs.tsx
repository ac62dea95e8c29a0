// Yes or no, one option, several options. The page identifies an option by its index: its value may contain anything, so
// it is only sent back to the gateway.

import type { BooleanFieldView, ChoiceFieldView, ChoicesFieldView, OptionView } from '@assent/core'
import { Checkbox, Radio, Select } from '@mantine/core'
import { formText } from '../text/form.ts'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

export function YesNoInput(props: FieldProps<BooleanFieldView>) {
  const { field, value, onChange } = props
  return (
    <Radio.Group
      {...wrapperProps(props)}
      value={value === undefined ? null : String(value)}
      onChange={(next) => onChange(next === 'true')}
    >
      <div className="cards two">
        <Radio
          className="pick"
          iconColor="var(--on-accent)"
          value="true"
          label={<Marked text={formText.yesNo.yes} isSuggested={field.suggestion === true} />}
        />
        <Radio
          className="pick"
          iconColor="var(--on-accent)"
          value="false"
          label={<Marked text={formText.yesNo.no} isSuggested={field.suggestion === false} />}
        />
      </div>
    </Radio.Group>
  )
}

function Marked({ text, isSuggested }: { readonly text: string; readonly isSuggested: boolean }) {
  return (
    <>
      {text} {isSuggested && <span className="suggested">{formText.suggested}</span>}
    </>
  )
}

export function ChoiceInput(props: FieldProps<ChoiceFieldView>) {
  const { field, value, onChange } = props
  const index = field.options.findIndex((option) => option.value === value)
  const selected = index < 0 ? null : String(index)
  const choose = (next: string | null) => onChange(next === null ? undefined : field.options[Number(next)]?.value)
  if (field.widget === 'search') {
    return (
      <Select
        {...wrapperProps(props)}
        searchable
        clearable={!field.required}
        placeholder={formText.choice.search(field.options.length)}
        nothingFoundMessage={formText.choice.noMatch}
        data={field.options.map((option, at) => ({ value: String(at), label: formText.choice.option(option) }))}
        value={selected}
        onChange={choose}
      />
    )
  }
  return (
    <Radio.Group {...wrapperProps(props)} value={selected} onChange={choose}>
      <div className="cards">
        {field.options.map((option, at) => (
          <Radio
            key={option.value}
            className="pick"
            iconColor="var(--on-accent)"
            value={String(at)}
            label={<OptionLabel option={option} />}
          />
        ))}
      </div>
    </Radio.Group>
  )
}

export function ChoicesInput(props: FieldProps<ChoicesFieldView>) {
  const { field, value, onChange } = props
  const chosen = Array.isArray(value) ? value : []
  const isFull = field.maxItems !== undefined && chosen.length >= field.maxItems
  const choose = (indexes: string[]) => {
    // In the order of the form, not of the clicks.
    const values = field.options.filter((_, at) => indexes.includes(String(at))).map((option) => option.value)
    onChange(values.length === 0 ? undefined : values)
  }
  return (
    <Checkbox.Group
      {...wrapperProps(props, formText.choice.limits(field, chosen.length))}
      value={field.options.flatMap((option, at) => (chosen.includes(option.value) ? [String(at)] : []))}
      onChange={choose}
    >
      <div className="cards many">
        {field.options.map((option, at) => (
          <Checkbox
            key={option.value}
            className="pick"
            iconColor="var(--on-accent)"
            value={String(at)}
            disabled={isFull && !chosen.includes(option.value)}
            label={<OptionLabel option={option} />}
          />
        ))}
      </div>
    </Checkbox.Group>
  )
}

function OptionLabel({ option }: { readonly option: OptionView }) {
  return (
    <>
      {option.label}{' '}
      {option.shownValue !== undefined && (
        <span className="option-value">{formText.choice.sends(option.shownValue)}</span>
      )}
      {option.isSuggested && <span className="suggested">{formText.suggested}</span>}
    </>
  )
}
