// The person's passkeys: which decisions need one, the list, adding and removing.

import type { InboxProblem, PasskeysView } from '@assent/core'
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import type { Refusal } from '../api/decide.ts'
import { usePasskeyChanges, usePasskeys } from '../api/passkeys.ts'
import { useSignIn } from '../api/queries.ts'
import { passkeysText as words } from '../text/passkeys.ts'
import { ago } from '../text/time.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { Parts } from '../ui/parts.tsx'
import { useReturnFocus } from '../ui/return-focus.ts'

type Change = (what: string, run: () => Promise<Refusal>, done: string) => Promise<Refusal>

interface Changing {
  /** The key that is being removed, `adding`, or empty: the browser shows one prompt at a time. */
  readonly busy: string
  /** Runs a change; `done` is announced once it was made. */
  readonly onChange: Change
}

const adding = 'add'

export function PasskeysPage() {
  const found = usePasskeys(true)
  const heading = useRef<HTMLHeadingElement>(null)
  const [busy, setBusy] = useState('')
  const [done, setDone] = useState('')
  const onPressed = useReturnFocus(busy, () => (busy === '' ? heading.current : undefined))
  const onChange: Change = async (what, run, text) => {
    onPressed()
    setDone('')
    setBusy(what)
    const refused = await run()
    if (refused === undefined) setDone(text)
    setBusy('')
    return refused
  }
  if (!isLoaded(found)) return <NotLoaded query={found} />
  const { keys, presence, nowMs } = found.data
  return (
    <div className="passkeys">
      <h1 ref={heading} tabIndex={-1}>
        {words.title}
      </h1>
      <p className="visually-hidden" role="status">
        {done}
      </p>
      <p>{words.explain(presence)}</p>
      {keys.length === 0 ? (
        <p className="passkeys-none">{words.none}</p>
      ) : (
        <Keys keys={keys} nowMs={nowMs} busy={busy} onChange={onChange} />
      )}
      <AddPasskey count={keys.length} busy={busy} onChange={onChange} />
    </div>
  )
}

function Keys({ keys, nowMs, busy, onChange }: Pick<PasskeysView, 'keys' | 'nowMs'> & Changing) {
  const { remove } = usePasskeyChanges()
  const way = useSignIn().data?.way
  const [problem, setProblem] = useState<InboxProblem>()
  const onRemove = async (id: string, name: string) => {
    const refused = await onChange(id, () => remove(id), words.removed(name))
    setProblem(refused === 'left' ? undefined : refused)
  }
  return (
    <>
      <ul className="passkey-list">
        {keys.map(({ id, name, addedAtMs, lastUsedAtMs }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong>
              <p className="passkey-times">
                {words.times(
                  ago(nowMs - addedAtMs),
                  lastUsedAtMs === undefined ? undefined : ago(nowMs - lastUsedAtMs),
                )}
              </p>
            </div>
            <Button
              variant="default"
              aria-label={words.removeNamed(name)}
              loading={busy === id}
              disabled={busy !== '' && busy !== id}
              onClick={() => void onRemove(id, name)}
            >
              {words.remove}
            </Button>
          </li>
        ))}
      </ul>
      <p className="passkeys-note">
        <Parts of={words.removeNote(way)} />
      </p>
      <Problem problem={problem} />
    </>
  )
}

function AddPasskey({ count, busy, onChange }: { readonly count: number } & Changing) {
  const { add } = usePasskeyChanges()
  const hasOne = count > 0
  const defaultName = words.defaultName(count)
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<InboxProblem>()
  const onAdd = async (event: FormEvent) => {
    event.preventDefault()
    if (busy !== '') return
    const given = name.trim() === '' ? defaultName : name.trim()
    const refused = await onChange(adding, () => add(given), words.added(given))
    setProblem(refused === 'left' ? undefined : refused)
    if (refused === undefined) setName('')
  }
  return (
    <form className="passkey-add" onSubmit={(event) => void onAdd(event)}>
      <TextInput
        label={words.newName}
        placeholder={defaultName}
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant={hasOne ? 'default' : 'filled'} loading={busy === adding}>
        {words.add}
      </Button>
      {hasOne && <p className="passkeys-note">{words.addNote}</p>}
      <Problem problem={problem} />
    </form>
  )
}

function Problem({ problem }: { readonly problem: InboxProblem | undefined }) {
  if (problem === undefined) return null
  return (
    <p className="problem" role="alert">
      {problem.message}
    </p>
  )
}
