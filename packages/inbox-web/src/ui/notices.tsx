// Changes of passkeys, and of the setting for them, that the person should know of. Shown on every page for seven days.

import type { PasskeysView } from '@assent/core'
import { ago } from './time.ts'

export function Notices({ notices, nowMs }: Pick<PasskeysView, 'notices' | 'nowMs'>) {
  if (notices.length === 0) return null
  return (
    <section className="notices" aria-label="Changes of passkeys">
      <ul>
        {notices.map(({ text, atMs }) => (
          <li key={`${atMs} ${text}`}>
            {text} <span className="notice-time">{ago(nowMs - atMs)}</span>
          </li>
        ))}
      </ul>
      <p>
        Was this not you? See <a href="/passkeys">Passkeys</a>, and run: assent audit verify
      </p>
    </section>
  )
}
