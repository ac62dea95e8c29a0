// Numbers: a text field, with a slider if both bounds are given, or stars for a rating.

import type { NumberFieldView } from '@assent/core'
import { Input, NumberInput, Slider } from '@mantine/core'
import { useId } from 'react'
import { formText } from '../text/form.ts'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'
import { RatingInput } from './rating-input.tsx'

const words = formText.number

type Props = FieldProps<NumberFieldView>

export function NumberFieldInput(props: Props) {
  if (props.field.widget === 'rating') return <RatingInput {...props} />
  if (props.field.widget === 'slider') return <SliderInput {...props} />
  return <PlainInput {...props} {...wrapperProps(props, words.range(props.field))} />
}

type WrapperProps = Partial<ReturnType<typeof wrapperProps>>

function PlainInput({
  field,
  value,
  onChange,
  error,
  ...rest
}: Props & WrapperProps & { readonly 'aria-label'?: string }) {
  return (
    <NumberInput
      {...rest}
      error={error}
      className="number"
      value={typeof value === 'number' || typeof value === 'string' ? value : ''}
      allowDecimal={!field.integer}
      // A number out of range is sent as typed and refused with a message, not changed to fit.
      clampBehavior="none"
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  )
}

function SliderInput(props: Props) {
  const { field, value, onChange, error } = props
  const { min = 0, max = 1, integer } = field
  const label = useId()
  const isSet = typeof value === 'number'
  return (
    <Input.Wrapper
      {...wrapperProps(props, words.range(field))}
      labelElement="div"
      labelProps={{ id: label, className: 'field-label' }}
    >
      <div className="slider-row" data-unset={!isSet}>
        <Slider
          className="slider"
          classNames={{ thumb: 'slider-thumb', bar: 'slider-bar' }}
          min={min}
          max={max}
          step={integer ? 1 : (max - min) / 100}
          value={isSet ? Math.min(max, Math.max(min, value)) : min}
          label={null}
          thumbProps={{ 'aria-labelledby': label, 'aria-valuetext': isSet ? String(value) : words.notSet }}
          onChange={(next) => onChange(integer ? next : Number(next.toPrecision(6)))}
        />
        <NumberInput
          className="slider-number"
          aria-labelledby={label}
          placeholder={words.noValue}
          hideControls
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          allowDecimal={!integer}
          clampBehavior="none"
          error={error !== undefined}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      </div>
    </Input.Wrapper>
  )
}
