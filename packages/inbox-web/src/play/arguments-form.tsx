// The arguments of a tool: an input for each one a form can express, JSON for the others, or all of them as JSON.
//
// Only the JSON syntax is checked here; the server checks the values.

import type { PlayBody, PlayToolView } from '@assent/core'
import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import { FieldInput } from '../form/field-input.tsx'
import { contentOf, type FormValues, withValue } from '../form/form-values.ts'
import { playText } from '../text/play.ts'

interface Props {
  readonly tool: PlayToolView
  readonly isRunning: boolean
  readonly onRun: (given: PlayBody['arguments']) => void
}

const words = playText.form

export function ArgumentsForm({ tool, isRunning, onRun }: Props) {
  const [values, setValues] = useState<FormValues>(new Map())
  const [jsonFields, setJsonFields] = useState<ReadonlyMap<string, string>>(new Map())
  const [allJson, setAllJson] = useState<string>()
  const isLost = useIsLost()
  const [areErrorsShown, setErrorsShown] = useState(false)
  const isValid = allJson === undefined ? [...jsonFields.values()].every(isJsonOrEmpty) : isObject(allJson)

  const currentArguments = (): PlayBody['arguments'] => {
    if (allJson !== undefined) return JSON.parse(allJson)
    const filledIn = [...jsonFields].filter(([, text]) => text.trim() !== '')
    return { ...contentOf(values), ...Object.fromEntries(filledIn.map(([name, text]) => [name, JSON.parse(text)])) }
  }
  const run = () => {
    setErrorsShown(true)
    if (isValid && !isRunning && !isLost) onRun(currentArguments())
  }
  return (
    <form
      className="answer-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      {allJson !== undefined ? (
        <JsonInput
          label={words.arguments}
          rows={10}
          text={allJson}
          error={areErrorsShown && !isObject(allJson) ? words.notAnObject : undefined}
          onChange={setAllJson}
        />
      ) : (
        tool.fields.map((field) =>
          field.kind === 'json' ? (
            <JsonInput
              key={field.name}
              label={field.label}
              help={[field.help, words.asJson].filter(Boolean).join(' ')}
              isOptional={!field.required}
              rows={3}
              text={jsonFields.get(field.name) ?? ''}
              error={areErrorsShown && !isJsonOrEmpty(jsonFields.get(field.name) ?? '') ? words.invalidJson : undefined}
              onChange={(text) => setJsonFields((before) => new Map(before).set(field.name, text))}
            />
          ) : (
            <FieldInput
              key={field.name}
              field={field}
              value={values.get(field.name)}
              error={undefined}
              onChange={(value) => setValues((before) => withValue(before, field.name, value))}
            />
          ),
        )
      )}
      {tool.fields.length === 0 && allJson === undefined && <p className="notice">{words.noArguments}</p>}
      <div className="run-bar">
        <Button type="submit" disabled={isLost || isRunning}>
          {isRunning ? words.running : words.run}
        </Button>
        <Button
          variant="subtle"
          disabled={isRunning || !isValid}
          onClick={() =>
            setAllJson(allJson === undefined ? JSON.stringify(currentArguments(), undefined, 2) : undefined)
          }
        >
          {allJson === undefined ? words.editJson : words.backToForm}
        </Button>
      </div>
      <details className="play-schema">
        <summary>{words.schema}</summary>
        <pre>{tool.schema}</pre>
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
          {isOptional === true && <span className="optional">{words.optional}</span>}
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

function isJsonOrEmpty(text: string): boolean {
  return text.trim() === '' || parseJson(text) !== undefined
}

function isObject(text: string): boolean {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined if it is not JSON; no JSON text parses to undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
