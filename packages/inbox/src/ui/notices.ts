// Notices outside the page, for those who want them. They say that something waits, never what: a lock screen is no
// place for an asker's words.

import { useState } from 'react'

export const canNotify: boolean = 'Notification' in window
const key = 'assent-notices'

export function notify(): void {
  if (!document.hidden || !canNotify || Notification.permission !== 'granted') return
  const notice = new Notification('Something is waiting for you', { tag: 'assent', icon: '/icon.svg' })
  notice.onclick = () => {
    window.focus()
    notice.close()
  }
}

export function useNotices(): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(
    () => canNotify && Notification.permission === 'granted' && localStorage.getItem(key) === 'on',
  )
  const set = (next: boolean) => {
    localStorage.setItem(key, next ? 'on' : 'off')
    setOn(next)
  }
  const toggle = () => {
    if (isOn) set(false)
    else void Notification.requestPermission().then((permission) => set(permission === 'granted'))
  }
  return { isOn, toggle }
}
