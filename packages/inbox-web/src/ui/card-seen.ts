// Whether the whole card has been in view: the end of the text, and the end of the card.
//
// The shortcuts that agree work only then. Each end is an element with `data-end`, watched with an IntersectionObserver. In a
// browser without one, the card counts as not seen.

import { type RefObject, useEffect, useState } from 'react'

/** On a phone the answer bar covers the bottom of the page: what is behind it is not in view. */
const aboveTheBar = { rootMargin: '0px 0px -64px 0px' }

export function useCardSeen(card: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (card.current === null || isSeen || typeof IntersectionObserver === 'undefined') return
    const unseen = new Set<Element>(card.current.querySelectorAll('[data-end]'))
    if (unseen.size === 0) return
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        unseen.delete(target)
        observer.unobserve(target)
      }
      if (unseen.size === 0) setSeen(true)
    }, aboveTheBar)
    for (const end of unseen) observer.observe(end)
    return () => observer.disconnect()
  }, [card, isSeen])
  return isSeen
}
