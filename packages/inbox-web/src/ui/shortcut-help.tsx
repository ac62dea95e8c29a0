// The list of keyboard shortcuts. A native dialog: the browser keeps the focus inside and closes it on Escape.

import { Kbd } from '@mantine/core'
import { useEffect, useRef } from 'react'

type Shortcut = readonly [keys: readonly string[], action: string]

const groups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'List',
    shortcuts: [
      [['j', 'k'], 'next ask, previous ask'],
      [['Enter'], 'move the focus to the card'],
      [['/'], 'search'],
      [['s'], 'select several, to decline or dismiss them'],
    ],
  },
  {
    title: 'Card',
    shortcuts: [
      [['y', 'n'], 'yes and no, or approve and decline'],
      [['1', '…', '6'], 'choose an option'],
      [['u'], 'undo a yes that is not sent yet'],
      [['x'], 'dismiss: the agent learns that you made no choice'],
      [['c'], 'write a comment'],
      [['e'], 'go to the first field of a form'],
      [['Ctrl+Enter'], 'send a form'],
    ],
  },
  {
    title: 'Everywhere',
    shortcuts: [
      [['Esc'], 'leave the field, or go back to the list'],
      [['?'], 'show this help'],
    ],
  },
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
      {groups.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
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
        </section>
      ))}
      <p>
        Shortcuts are off while you type, and for half a second after a card appears. Those that agree work once you
        have seen the end of the card.
      </p>
      <button type="button" className="link-button" onClick={onClose}>
        Close
      </button>
    </dialog>
  )
}
