// Long texts and diffs begin with their first lines and a button that shows all of them. Until then a yes is not possible:
// the card asks `useHidden` which texts are still hidden.

import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react'
import { cardText } from '../text/card.ts'

/** A text with more lines than this is shown from its beginning. */
const linesAtOnce = 40
const linesFirst = 20
/** About as many characters as fit on a line of the card: a long line counts as several. */
const lineChars = 90

/** The texts of a card that are not shown in full, by the id of the text. */
export interface Hidden {
  readonly texts: ReadonlyMap<string, string>
  /** Whether all texts were shown at once. */
  readonly areAllShown: boolean
  /** @param text undefined once it is shown in full */
  set(id: string, text: string | undefined): void
  showAll(): void
}

/** For texts that may stay hidden. */
export const nothingHidden: Hidden = {
  texts: new Map(),
  areAllShown: false,
  set: () => undefined,
  showAll: () => undefined,
}

const HiddenContext = createContext<Hidden>(nothingHidden)
export const HiddenProvider = HiddenContext.Provider

export function useHidden(): Hidden {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [areAllShown, setAllShown] = useState(false)
  const [stable] = useState(() => ({
    set: (id: string, text: string | undefined) =>
      setTexts((before) => {
        if (before.get(id) === text) return before
        const next = new Map(before)
        if (text === undefined) next.delete(id)
        else next.set(id, text)
        return next
      }),
    showAll: () => setAllShown(true),
  }))
  return { texts, areAllShown, ...stable }
}

/** How much is still hidden, as text for a button. */
export function hiddenSize({ texts }: Hidden): string {
  return sizeOf([...texts.values()].join('\n'))
}

interface Props {
  readonly text: string
  readonly children: (shown: string) => ReactNode
}

export function ShownText({ text, children }: Props) {
  const id = useId()
  const { set, areAllShown } = useContext(HiddenContext)
  const [isOpen, setOpen] = useState(false)
  const beginning = beginningOf(text)
  const isHidden = beginning !== undefined && !isOpen && !areAllShown
  useEffect(() => {
    set(id, isHidden ? text : undefined)
    return () => set(id, undefined)
  }, [set, id, isHidden, text])
  if (!isHidden) return children(text)
  return (
    <>
      {children(beginning)}
      <button type="button" className="show-all" data-hidden="" onClick={() => setOpen(true)}>
        {cardText.shownText.showAll(sizeOf(text))}
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
  return lines < linesFirst ? cardText.shownText.characters(text.length) : cardText.shownText.lines(lines)
}
