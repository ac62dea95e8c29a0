// A secret being typed or pasted: masked, shown only on request, never suggested or remembered by the browser.

import { Textarea, TextInput } from '@mantine/core'
import { type ClipboardEvent, useState } from 'react'

interface Props {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function SecretInput({ value, error, onChange }: Props) {
  const [isShown, setShown] = useState(false)
  // A key of several lines loses its line breaks in a field of one.
  const [hasLines, setLines] = useState(false)
  const words = {
    label: 'Secret',
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
    setLines(true)
    onChange(pasted)
  }
  return (
    <div className="secret">
      {hasLines ? (
        <Textarea
          {...words}
          rows={6}
          className={isShown ? 'secret-lines' : 'secret-lines masked'}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <TextInput
          {...words}
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
        {isShown ? 'Hide what I type' : 'Show what I type'}
      </button>
    </div>
  )
}
