// Whether the person has had the whole card in view: the end of the card, and the end of every part that scrolls by itself.
//
// The key that approves works only then. Each end is an element with `data-end`; the browser reports when it is visible,
// also inside a scrolling box. Where the browser cannot report it, the card counts as not seen.

import { type RefObject, useEffect, useState } from 'react'

/** On a phone the answers lie over the bottom of the page: what is behind them is not in view. */
const aboveTheBar = { rootMargin: '0px 0px -64px 0px' }

export function useWholeCard(card: RefObject<HTMLElement | null>): boolean {
  const [isWhole, setWhole] = useState(false)
  useEffect(() => {
    if (card.current === null || isWhole || typeof IntersectionObserver === 'undefined') return
    const unseen = new Set<Element>(card.current.querySelectorAll('[data-end]'))
    if (unseen.size === 0) return
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        unseen.delete(target)
        observer.unobserve(target)
      }
      if (unseen.size === 0) setWhole(true)
    }, aboveTheBar)
    for (const end of unseen) observer.observe(end)
    return () => observer.disconnect()
  }, [card, isWhole])
  return isWhole
}
