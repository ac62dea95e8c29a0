// Changes of passkeys, and of the setting for them, that the person should know of. Shown on every page for seven days.

import type { PasskeysView } from '@assent/core'
import { frameText } from '../text/frame.ts'
import { ago } from '../text/time.ts'
import { Parts } from './parts.tsx'

const words = frameText.notices

export function Notices({ notices, nowMs }: Pick<PasskeysView, 'notices' | 'nowMs'>) {
  if (notices.length === 0) return null
  return (
    <section className="notices" aria-label={words.heading}>
      <ul>
        {notices.map(({ text, atMs }) => (
          <li key={`${atMs} ${text}`}>
            {text} <span className="notice-time">{words.when(ago(nowMs - atMs))}</span>
          </li>
        ))}
      </ul>
      <p>
        {words.notYou} <a href="/passkeys">{words.passkeys}</a>
        <Parts of={words.verify} />
      </p>
    </section>
  )
}
