// The list of keyboard shortcuts. A native dialog: the browser keeps the focus inside and closes it on Escape.

import { Button, Kbd } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { frameText } from '../text/frame.ts'

const words = frameText.shortcuts

export function ShortcutHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} className="shortcut-help" aria-labelledby="shortcut-help-title" onClose={onClose}>
      <h2 id="shortcut-help-title">{words.title}</h2>
      {words.groups.map(({ title, shortcuts }) => (
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
      <p>{words.note}</p>
      <Button variant="default" onClick={onClose}>
        {words.close}
      </Button>
    </dialog>
  )
}
