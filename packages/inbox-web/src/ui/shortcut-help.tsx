// The list of keyboard shortcuts. A native dialog: the browser keeps the focus inside and closes it on Escape.

import { Kbd } from '@mantine/core'
import { useEffect, useRef } from 'react'

const shortcuts: readonly [keys: readonly string[], action: string][] = [
  [['j', 'k'], 'next ask, previous ask'],
  [['Enter'], 'move the focus to the card'],
  [['a', 'y'], 'approve, or answer a form, after you have seen the whole card'],
  [['d'], 'decline'],
  [['x'], 'dismiss: tells the agent that you made no choice'],
  [['e'], 'edit the first field'],
  [['Esc'], 'leave the field, or go back to the list'],
  [['?'], 'show this help'],
]

export function ShortcutHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} className="shortcut-help" aria-labelledby="shortcut-help-title" onClose={onClose}>
      <h2 id="shortcut-help-title">Keyboard shortcuts</h2>
      <dl>
        {shortcuts.map(([keys, action]) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <p>Shortcuts are off while you type, and for half a second after a card appears.</p>
      <button type="button" className="link-button" onClick={onClose}>
        Close
      </button>
    </dialog>
  )
}
