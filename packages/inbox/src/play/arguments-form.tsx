// The arguments of a tool: a widget for each that a form can express, JSON for the others, or all of them as JSON.
//
// Nothing is judged here but whether JSON is JSON; the server says what does not fit.

import type { FieldView, PlayBody, PlayToolView } from '@assent/core'
import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { contentOf, suggestions, withValue } from '../form/content.ts'
import { FieldInput } from '../form/field.tsx'

interface Props {
  readonly tool: PlayToolView
  readonly isRunning: boolean
  readonly onRun: (given: PlayBody['arguments']) => void
}

const notJson = 'This is not JSON.'

export function ArgumentsForm({ tool, isRunning, onRun }: Props) {
  const fields = tool.fields.filter((field): field is FieldView => field.kind !== 'json')
  const [filled, setFilled] = useState(() => suggestions(fields))
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map())
  const [whole, setWhole] = useState<string>()
  const [isShown, setShown] = useState(false)
  const isRead = whole === undefined ? [...written.values()].every(isJsonOrNothing) : isObject(whole)

  const given = (): PlayBody['arguments'] => {
    if (whole !== undefined) return JSON.parse(whole)
    const byHand = [...written].filter(([, text]) => text.trim() !== '')
    return { ...contentOf(filled), ...Object.fromEntries(byHand.map(([name, text]) => [name, JSON.parse(text)])) }
  }
  const run = () => {
    setShown(true)
    if (isRead && !isRunning) onRun(given())
  }
  return (
    <form
      className="answer-form play-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      {whole !== undefined ? (
        <JsonInput
          label="Arguments"
          rows={10}
          text={whole}
          error={isShown && !isObject(whole) ? 'The arguments are a JSON object.' : undefined}
          onChange={setWhole}
        />
      ) : (
        tool.fields.map((field) =>
          field.kind === 'json' ? (
            <JsonInput
              key={field.name}
              label={field.label}
              help={[field.help, 'As JSON.'].filter(Boolean).join(' ')}
              isOptional={!field.required}
              rows={3}
              text={written.get(field.name) ?? ''}
              error={isShown && !isJsonOrNothing(written.get(field.name) ?? '') ? notJson : undefined}
              onChange={(text) => setWritten((before) => new Map(before).set(field.name, text))}
            />
          ) : (
            <FieldInput
              key={field.name}
              field={field}
              value={filled.get(field.name)}
              error={undefined}
              onChange={(value) => setFilled((before) => withValue(before, field.name, value))}
            />
          ),
        )
      )}
      {tool.fields.length === 0 && whole === undefined && <p className="notice">It takes no arguments.</p>}
      <div className="answer-bar">
        <Button type="submit" loading={isRunning}>
          Run
        </Button>
        <Button
          variant="subtle"
          disabled={isRunning || !isRead}
          onClick={() => setWhole(whole === undefined ? JSON.stringify(given(), undefined, 2) : undefined)}
        >
          {whole === undefined ? 'Edit as JSON' : 'Back to the form'}
        </Button>
      </div>
      <details className="play-schema">
        <summary>Its input schema</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable, or its end is out of reach */}
        <pre tabIndex={0}>{tool.schema}</pre>
      </details>
    </form>
  )
}

interface JsonProps {
  readonly label: string
  readonly help?: string
  readonly isOptional?: boolean
  readonly rows: number
  readonly text: string
  readonly error: string | undefined
  readonly onChange: (text: string) => void
}

function JsonInput({ label, help, isOptional, rows, text, error, onChange }: JsonProps) {
  return (
    <Textarea
      className="json-input"
      label={
        <>
          {label}
          {isOptional === true && <span className="optional">optional</span>}
        </>
      }
      labelProps={{ className: 'field-label' }}
      description={error === undefined ? help : undefined}
      descriptionProps={{ className: 'field-help' }}
      error={error}
      errorProps={{ className: 'field-error' }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      rows={rows}
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function isJsonOrNothing(text: string): boolean {
  return text.trim() === '' || parsed(text) !== undefined
}

function isObject(text: string): boolean {
  const value = parsed(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined for what is not JSON; JSON itself has no such value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
