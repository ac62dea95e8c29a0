// Numbers: a text field, with a slider if both bounds are given, or stars for a rating.

import type { NumberFieldView } from '@assent/core'
import { Input, NumberInput, Rating, Slider } from '@mantine/core'
import { useId } from 'react'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

type Props = FieldProps<NumberFieldView>

export function NumberFieldInput(props: Props) {
  if (props.field.widget === 'rating') return <RatingInput {...props} />
  if (props.field.widget === 'slider') return <SliderInput {...props} />
  return <PlainInput {...props} {...wrapperProps(props, rangeHelp(props.field))} />
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
      {...wrapperProps(props, rangeHelp(field))}
      labelElement="div"
      labelProps={{ id: label, className: 'field-label' }}
    >
      <div className="slider-row" data-unset={!isSet}>
        <Slider
          className="slider"
          min={min}
          max={max}
          step={integer ? 1 : (max - min) / 100}
          value={isSet ? Math.min(max, Math.max(min, value)) : min}
          label={null}
          thumbProps={{ 'aria-labelledby': label, 'aria-valuetext': isSet ? String(value) : 'not set yet' }}
          onChange={(next) => onChange(integer ? next : Number(next.toPrecision(6)))}
        />
        <NumberInput
          className="slider-number"
          aria-labelledby={label}
          placeholder="–"
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

function RatingInput(props: Props) {
  const { field, value, onChange } = props
  const label = useId()
  const stars = typeof value === 'number' ? value : 0
  return (
    <Input.Wrapper {...wrapperProps(props)} labelElement="div" labelProps={{ id: label, className: 'field-label' }}>
      <div className="rating-row">
        <Rating
          role="radiogroup"
          aria-labelledby={label}
          size="xl"
          count={field.max ?? 5}
          value={stars}
          getSymbolLabel={(star) => `${star} of ${field.max}`}
          color="teal"
          onChange={(next) => onChange(next < (field.min ?? 0) ? undefined : next)}
        />
        <span className="digits">{stars === 0 ? 'not rated yet' : `${stars} of ${field.max}`}</span>
      </div>
    </Input.Wrapper>
  )
}

function rangeHelp({ min, max, above, below, integer }: NumberFieldView): string | undefined {
  const kind = integer ? 'A whole number' : 'A number'
  if (above !== undefined || below !== undefined) {
    const bounds = [
      ...(min === undefined ? [] : [`${min} or more`]),
      ...(above === undefined ? [] : [`more than ${above}`]),
      ...(max === undefined ? [] : [`${max} or less`]),
      ...(below === undefined ? [] : [`less than ${below}`]),
    ]
    return `${kind}, ${bounds.join(' and ')}.`
  }
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}.`
  if (min !== undefined) return `${kind}, ${min} or more.`
  return max === undefined ? undefined : `${kind}, ${max} or less.`
}
