// Where the focus goes when the control that a person pressed is disabled or disappears.

import { useEffect, useRef } from 'react'

/**
 * Returns a function to call when a control is pressed. After each `change` the focus that was lost returns to that
 * control, or goes to `next` if the control is gone. The focus stays where the person has moved it.
 */
export function useReturnFocus(change: string, next: () => HTMLElement | null | undefined): () => void {
  const pressed = useRef<Element>(null)
  const moved = useRef<Element>(null)
  // Only a change of what is shown moves the focus.
  useEffect(() => {
    const { activeElement, body } = document
    if (pressed.current === null || (activeElement !== body && activeElement !== moved.current)) return
    const isUsable = pressed.current.isConnected && !pressed.current.matches(':disabled')
    const target = isUsable ? pressed.current : next()
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    moved.current = document.activeElement
  }, [change])
  return () => {
    const { activeElement, body } = document
    pressed.current = activeElement === body ? null : activeElement
  }
}
