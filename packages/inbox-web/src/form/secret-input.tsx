// The input for a secret: masked, shown only on request, never suggested or stored by the browser.

import { Textarea, TextInput } from '@mantine/core'
import { type ClipboardEvent, useState } from 'react'
import { cardText } from '../text/card.ts'

interface Props {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function SecretInput({ value, error, onChange }: Props) {
  const [isShown, setShown] = useState(false)
  // A single-line field would drop the line breaks of a multi-line key.
  const [isMultiline, setMultiline] = useState(false)
  const inputProps = {
    label: cardText.secret.label,
    error,
    labelProps: { className: 'field-label' },
    errorProps: { className: 'field-error' },
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    value,
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text')
    if (value !== '' || !pasted.trim().includes('\n')) return
    event.preventDefault()
    setMultiline(true)
    onChange(pasted)
  }
  return (
    <div className="secret">
      {isMultiline ? (
        <Textarea
          {...inputProps}
          rows={6}
          className={isShown ? 'secret-lines' : 'secret-lines masked'}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <TextInput
          {...inputProps}
          type={isShown ? 'text' : 'password'}
          onPaste={onPaste}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      <button
        type="button"
        className="link-button secret-show"
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? cardText.secret.hide : cardText.secret.show}
      </button>
    </div>
  )
}
