// The end of a list that has more pages: loads the next one when scrolled into view or pressed.

import { Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { listText } from '../text/list.ts'

interface Props {
  readonly isLoading: boolean
  readonly onMore: () => void
}

export function LoadMore({ isLoading, onMore }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const more = useRef(onMore)
  more.current = onMore
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && more.current())
    if (end.current !== null) seen.observe(end.current)
    return () => seen.disconnect()
  }, [])
  return (
    <div ref={end} className="load-more">
      <Button variant="subtle" loading={isLoading} onClick={onMore}>
        {listText.list.more}
      </Button>
    </div>
  )
}
