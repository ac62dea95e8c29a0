// Browser notifications, off by default. They never contain text from the asker: they may appear on a lock screen.

import { useState } from 'react'

export const canNotify: boolean = 'Notification' in window
const storageKey = 'assent-notices'

export function notify(): void {
  if (!document.hidden || !canNotify || Notification.permission !== 'granted') return
  const notification = new Notification('A question is waiting for you', { tag: 'assent', icon: '/icon.svg' })
  notification.onclick = () => {
    window.focus()
    notification.close()
  }
}

export function useNotifications(): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(
    () => canNotify && Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on',
  )
  const set = (next: boolean) => {
    localStorage.setItem(storageKey, next ? 'on' : 'off')
    setOn(next)
  }
  const toggle = () => {
    if (isOn) set(false)
    else void Notification.requestPermission().then((permission) => set(permission === 'granted'))
  }
  return { isOn, toggle }
}
