// A rating as a row of stars. Each star is a radio button, so the arrow keys choose and a screen reader reads "4 of 5".

import type { NumberFieldView } from '@assent/core'
import { Input } from '@mantine/core'
import { useId } from 'react'
import { formText } from '../text/form.ts'
import { type FieldProps, wrapperProps } from './field-wrapper.tsx'

const words = formText.number

export function RatingInput(props: FieldProps<NumberFieldView>) {
  const { field, value, error, onChange } = props
  const { max = 5 } = field
  const label = useId()
  const group = useId()
  const chosen = typeof value === 'number' ? value : 0
  return (
    <Input.Wrapper {...wrapperProps(props)} labelElement="div" labelProps={{ id: label, className: 'field-label' }}>
      <div
        className="rating"
        role="radiogroup"
        aria-labelledby={label}
        aria-required={field.required}
        data-error={error === undefined ? undefined : true}
      >
        {Array.from({ length: max }, (_, at) => at + 1).map((star) => (
          <label key={star} className="star" data-filled={star <= chosen ? '' : undefined}>
            <input
              type="radio"
              className="visually-hidden"
              name={group}
              value={star}
              aria-label={words.stars(star, max)}
              checked={star === chosen}
              onChange={() => onChange(star)}
            />
            <span aria-hidden="true">{star <= chosen ? '★' : '☆'}</span>
          </label>
        ))}
        <span className="rating-value digits" aria-hidden="true">
          {chosen === 0 ? words.notRated : words.stars(chosen, max)}
        </span>
      </div>
    </Input.Wrapper>
  )
}
