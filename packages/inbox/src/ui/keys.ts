// Single keys as shortcuts: never while someone types, never together with another modifier.

import { useEffect, useRef } from 'react'

export type KeyMap = Readonly<Record<string, () => void>>

export function useKeys(map: KeyMap): void {
  const current = useRef(map)
  current.current = map
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      // Escape alone is never a letter.
      if ((isTyping(event.target) && event.key !== 'Escape') || document.querySelector('dialog[open]') !== null) return
      const act = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const notForTyping = new Set(['button', 'checkbox', 'radio', 'range', 'submit'])

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !notForTyping.has(target.type)
}
