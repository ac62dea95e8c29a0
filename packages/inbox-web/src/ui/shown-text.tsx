// A text that is shown in full, or, if it is long, from its beginning with a button for the rest.
//
// While some of a card is not shown, the card cannot be approved (`useHidden`).

import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react'

/** A text with more lines than this is shown from its beginning. */
const linesAtOnce = 40
const linesFirst = 20
/** About as many characters as fit on a line of the card: a long line counts as several. */
const lineChars = 90

/** The parts of a card that are not shown in full, by their id. */
export interface Hidden {
  readonly ids: ReadonlySet<string>
  set(id: string, isHidden: boolean): void
}

/** For texts that may stay hidden. */
export const nothingHidden: Hidden = { ids: new Set(), set: () => undefined }

const HiddenContext = createContext<Hidden>(nothingHidden)
export const HiddenProvider = HiddenContext.Provider

export function useHidden(): Hidden {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const set = (id: string, isHidden: boolean) =>
    setIds((before) => {
      if (before.has(id) === isHidden) return before
      const next = new Set(before)
      if (isHidden) next.add(id)
      else next.delete(id)
      return next
    })
  const [hidden] = useState(() => ({ set }))
  return { ids, set: hidden.set }
}

interface Props {
  readonly text: string
  readonly children: (shown: string) => ReactNode
}

export function ShownText({ text, children }: Props) {
  const id = useId()
  const { set } = useContext(HiddenContext)
  const [isOpen, setOpen] = useState(false)
  const beginning = beginningOf(text)
  const isHidden = beginning !== undefined && !isOpen
  useEffect(() => {
    set(id, isHidden)
    return () => set(id, false)
  }, [set, id, isHidden])
  if (!isHidden) return children(text)
  return (
    <>
      {children(beginning)}
      <button type="button" className="show-all" data-hidden="" onClick={() => setOpen(true)}>
        Show all {sizeOf(text)}
      </button>
    </>
  )
}

/** The first lines of a long text; undefined for one that is shown in full. */
function beginningOf(text: string): string | undefined {
  if (heightOf(text) <= linesAtOnce) return undefined
  let height = 0
  let chars = 0
  for (const line of text.split('\n')) {
    const needed = heightOf(line)
    if (height + needed > linesFirst) return wellFormed(text.slice(0, chars + (linesFirst - height) * lineChars))
    height += needed
    chars += line.length + 1
  }
  return text
}

/** Without half of a character at the end. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1)
}

function heightOf(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / lineChars)), 0)
}

function sizeOf(text: string): string {
  const lines = text.split('\n').length
  return lines < linesFirst ? `${text.length.toLocaleString('en')} characters` : `${lines.toLocaleString('en')} lines`
}
