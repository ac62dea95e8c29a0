// All keys, on one sheet. A native dialog: it keeps the focus inside and closes with Escape by itself.

import { Kbd } from '@mantine/core'
import { useEffect, useRef } from 'react'

const all: readonly [keys: readonly string[], does: string][] = [
  [['j', 'k'], 'next ask, the one before'],
  [['Enter'], 'go into the card'],
  [['a', 'y'], 'Approve, or answer a form, once you have seen the whole card'],
  [['d'], 'Decline'],
  [['x'], 'Dismiss: the agent is told that you made no choice'],
  [['e'], 'edit: go to the first field'],
  [['Esc'], 'leave the field, back to the list'],
  [['?'], 'this sheet'],
]

export function KeyHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} className="key-help" aria-labelledby="key-help-title" onClose={onClose}>
      <h2 id="key-help-title">Keys</h2>
      <dl>
        {all.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>Keys do nothing for half a moment after a card appears, and never while you type.</p>
      <button type="button" className="link-button" onClick={onClose}>
        Close
      </button>
    </dialog>
  )
}
