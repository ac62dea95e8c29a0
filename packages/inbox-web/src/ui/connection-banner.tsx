// The one place that says that the inbox cannot be reached or does not work, on every page.

import { useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { frameText } from '../text/frame.ts'
import { Parts } from './parts.tsx'

const texts = frameText.connection

/** A page that was just opened connects within this time. */
const connectMs = 2_500
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** @param isLive whether this page receives changes */
export function ConnectionBanner({ isLive }: { readonly isLive: boolean }) {
  const connection = useConnection()
  const isStale = useLasting(!isLive, connectMs)
  const text = connection === 'ok' ? (isStale ? texts.stale : undefined) : texts[connection]
  return (
    <div className="connection" role="status">
      {text !== undefined && (
        <p className="connection-banner">
          {text}
          {connection === 'lost-for-long' && loopbackNames.includes(location.hostname) && (
            <Parts of={texts.startInbox} />
          )}
        </p>
      )}
    </div>
  )
}

/** Whether the condition has been true for this long. */
function useLasting(condition: boolean, ms: number): boolean {
  const [hasLasted, setLasted] = useState(false)
  useEffect(() => {
    if (!condition) return
    const timer = setTimeout(() => setLasted(true), ms)
    return () => {
      clearTimeout(timer)
      setLasted(false)
    }
  }, [condition, ms])
  return hasLasted
}
