// The person's passkeys: which decisions need one, the list, adding and removing.

import type { InboxProblem, PasskeysView } from '@assent/core'
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePasskeyChanges, usePasskeys } from '../api/passkeys.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { ago } from '../ui/time.ts'

const neededFor: Readonly<Record<PasskeysView['presence'], string>> = {
  none: 'No decision needs a passkey here. The setting inbox.presence changes this.',
  destructive: 'You need a passkey to say yes to something destructive.',
  approvals: 'You need a passkey to approve, and to say yes to something destructive.',
  all: 'You need a passkey to accept anything.',
}

export function PasskeysPage() {
  const found = usePasskeys(true)
  if (!isLoaded(found)) return <NotLoaded query={found} />
  const { keys, presence, nowMs } = found.data
  return (
    <div className="passkeys">
      <h1>Passkeys</h1>
      <p>
        A passkey proves that you are there: your device asks for your fingerprint, face or PIN, and signs exactly what
        you decide. {neededFor[presence]}
      </p>
      {keys.length === 0 ? <p className="passkeys-none">You have no passkeys.</p> : <Keys keys={keys} nowMs={nowMs} />}
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
                Added {ago(nowMs - addedAtMs)}
                {lastUsedAtMs === undefined ? ', not used yet' : `, used ${ago(nowMs - lastUsedAtMs)}`}
              </p>
            </div>
            <Button
              variant="default"
              aria-label={`Remove ${name}`}
              loading={removing === id}
              disabled={removing !== undefined && removing !== id}
              onClick={() => void onRemove(id)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <p className="passkeys-note">Removing one asks for a passkey. If you lost all of them: assent passkeys reset</p>
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
    const refused = await add(name.trim() === '' ? 'Passkey' : name.trim())
    setProblem(refused === 'left' ? undefined : refused)
    if (refused === undefined) setName('')
    setAdding(false)
  }
  return (
    <form className="passkey-add" onSubmit={(event) => void onAdd(event)}>
      <TextInput
        label="Name of the new passkey"
        placeholder="Laptop"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant={hasOne ? 'default' : 'filled'} loading={isAdding}>
        Add a passkey
      </Button>
      {hasOne && <p className="passkeys-note">This asks for a passkey that you have, and then for the new one.</p>}
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
