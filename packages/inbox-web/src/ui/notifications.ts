// Browser notifications, off by default. They never contain text from the asker: they may appear on a lock screen.

import { useState } from 'react'
import { frameText } from '../text/frame.ts'

export const canNotify: boolean = 'Notification' in window
const storageKey = 'assent-notices'

export function notify(): void {
  if (!document.hidden || !canNotify || Notification.permission !== 'granted') return
  const notification = new Notification(frameText.notification, { tag: 'assent', icon: '/icon.svg' })
  notification.onclick = () => {
    window.focus()
    notification.close()
  }
}

interface Notifications {
  readonly isOn: boolean
  /** The person or the browser refused the permission. */
  readonly isBlocked: boolean
  readonly toggle: () => void
}

export function useNotifications(): Notifications {
  const [isOn, setOn] = useState(
    () => canNotify && Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on',
  )
  const [isBlocked, setBlocked] = useState(false)
  const set = (next: boolean) => {
    localStorage.setItem(storageKey, next ? 'on' : 'off')
    setOn(next)
  }
  const toggle = () => {
    if (isOn) set(false)
    else
      void Notification.requestPermission().then((permission) => {
        set(permission === 'granted')
        setBlocked(permission !== 'granted')
      })
  }
  return { isOn, isBlocked, toggle }
}
