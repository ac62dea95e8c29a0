// The person's passkeys: which decisions need one, the list, adding and removing.

import type { InboxProblem, PasskeysView } from '@assent/core'
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePasskeyChanges, usePasskeys } from '../api/passkeys.ts'
import { passkeysText as words } from '../text/passkeys.ts'
import { ago } from '../text/time.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { Parts } from '../ui/parts.tsx'

export function PasskeysPage() {
  const found = usePasskeys(true)
  if (!isLoaded(found)) return <NotLoaded query={found} />
  const { keys, presence, nowMs } = found.data
  return (
    <div className="passkeys">
      <h1>{words.title}</h1>
      <p>{words.explain(presence)}</p>
      {keys.length === 0 ? <p className="passkeys-none">{words.none}</p> : <Keys keys={keys} nowMs={nowMs} />}
      <AddPasskey hasOne={keys.length > 0} />
    </div>
  )
}

function Keys({ keys, nowMs }: Pick<PasskeysView, 'keys' | 'nowMs'>) {
  const { remove } = usePasskeyChanges()
  const [removing, setRemoving] = useState<string>()
  const [problem, setProblem] = useState<InboxProblem>()
  const onRemove = async (id: string) => {
    setRemoving(id)
    const refused = await remove(id)
    setProblem(refused === 'left' ? undefined : refused)
    setRemoving(undefined)
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
              loading={removing === id}
              disabled={removing !== undefined && removing !== id}
              onClick={() => void onRemove(id)}
            >
              {words.remove}
            </Button>
          </li>
        ))}
      </ul>
      <p className="passkeys-note">
        <Parts of={words.removeNote} />
      </p>
      <Problem problem={problem} />
    </>
  )
}

function AddPasskey({ hasOne }: { readonly hasOne: boolean }) {
  const { add } = usePasskeyChanges()
  const [name, setName] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [problem, setProblem] = useState<InboxProblem>()
  const onAdd = async (event: FormEvent) => {
    event.preventDefault()
    if (isAdding) return
    setAdding(true)
    const refused = await add(name.trim() === '' ? words.defaultName : name.trim())
    setProblem(refused === 'left' ? undefined : refused)
    if (refused === undefined) setName('')
    setAdding(false)
  }
  return (
    <form className="passkey-add" onSubmit={(event) => void onAdd(event)}>
      <TextInput
        label={words.newName}
        placeholder={words.exampleName}
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant={hasOne ? 'default' : 'filled'} loading={isAdding}>
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
