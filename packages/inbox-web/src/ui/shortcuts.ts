// Single-key shortcuts. Ignored while a person types, and together with Ctrl, Meta or Alt. Enter presses the button or link that
// has the focus.

import { useEffect, useRef } from 'react'

export type Shortcuts = Readonly<Record<string, () => void>>

export function useShortcuts(map: Shortcuts): void {
  const current = useRef(map)
  current.current = map
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button, summary')) return
      // A menu closes by itself, and may have returned the focus already.
      if (event.target instanceof Element && event.target.closest('[role=menu]') !== null) return
      // Escape works in text fields too.
      if ((isTyping(event.target) && event.key !== 'Escape') || document.querySelector('dialog[open]') !== null) return
      const action = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

const nonTextTypes = new Set(['button', 'checkbox', 'radio', 'range', 'submit'])

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !nonTextTypes.has(target.type)
}
