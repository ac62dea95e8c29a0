// The buttons of a card, and a menu for the answers that have none.
//
// None is focused when a card appears, and for a moment none reacts: a key or click meant for the previous card must not
// answer this one. While a long text is not shown in full, a button that shows it takes the place of the yes.

import type { AskView, ButtonView } from '@assent/core'
import { Button, Kbd, Menu } from '@mantine/core'
import { useIsLost } from '../api/connection.ts'
import { cardText } from '../text/card.ts'
import { riskOf } from './consequences.tsx'

const words = cardText.answers
const dismissKey = 'x'
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The answers that may be in the menu. */
const menuItems = {
  decline: { label: words.decline, help: words.declineHelp },
  cancel: { label: words.dismiss, help: words.dismissHelp },
} as const

interface Props {
  readonly ask: AskView
  /** The button whose answer is being sent. */
  readonly sending: ButtonView | undefined
  /** How much of the card is not shown yet; while it is set, the person cannot agree. */
  readonly hiddenSize?: string | undefined
  /** How many findings of Assent speak against a yes. */
  readonly problems?: number
  /** The buttons do not react yet: they have just replaced another one. */
  readonly isFresh?: boolean
  readonly onPress: (button: ButtonView) => void
  readonly onShowAll?: () => void
}

export function AnswerBar(props: Props) {
  const { ask, sending, hiddenSize, problems = 0, isFresh = false, onPress, onShowAll } = props
  const { buttons } = ask
  const isLost = useIsLost()
  const isPlain = problems === 0 && !needsThought(ask)
  const blocked = hiddenSize === undefined ? [] : buttons.filter(needsReading)
  const replaced = blocked.find(({ verdict }) => verdict === 'yes')
  const named = replaced ?? blocked[0]
  const showAll = named !== undefined && hiddenSize !== undefined && (
    <Button key="show-all" variant="light" className="answer show-all-first" onClick={onShowAll}>
      {words.showAll(hiddenSize, named)}
    </Button>
  )
  return (
    <div className="answer-bar" data-layout={layoutOf(buttons)}>
      {replaced === undefined && showAll}
      {buttons.map((button) =>
        button === replaced ? (
          showAll
        ) : (
          <Button
            key={button.label + JSON.stringify(button.answer)}
            variant={button.verdict === 'yes' && isPlain ? 'filled' : 'default'}
            className={`answer answer-${button.verdict}`}
            classNames={{ inner: 'answer-inner', label: 'answer-label' }}
            loading={sending === button}
            disabled={isLost || isFresh || blocked.includes(button) || (sending !== undefined && sending !== button)}
            aria-keyshortcuts={button.fillsIn === true ? 'Control+Enter' : button.key}
            rightSection={<Key of={button} />}
            onClick={() => onPress(button)}
          >
            {button.label}
            {button.shownValue !== undefined && <span className="option-value">{words.sends(button.shownValue)}</span>}
            {button.isSuggested === true && <span className="suggested">{words.suggested}</span>}
            {button.verdict === 'yes' && problems > 0 && (
              <span className="answer-problems">⚠ {cardText.checked.problems(problems)}</span>
            )}
          </Button>
        ),
      )}
      <MoreMenu ask={ask} isDisabled={isLost || sending !== undefined} onPress={onPress} />
    </div>
  )
}

function Key({ of: { key, fillsIn } }: { readonly of: ButtonView }) {
  const shown = key ?? (fillsIn === true ? words.sendKey(isMac) : undefined)
  if (shown === undefined) return null
  return (
    <Kbd aria-hidden="true" className="key">
      {shown}
    </Kbd>
  )
}

interface MenuProps {
  readonly ask: Props['ask']
  readonly isDisabled: boolean
  readonly onPress: Props['onPress']
}

function MoreMenu({ ask, isDisabled, onPress }: MenuProps) {
  // Browsers have no clipboard on pages over plain http.
  const canCopy = navigator.clipboard !== undefined && ask.id !== 'example'
  const items = menuOf(ask)
  if (items.length === 0 && !canCopy) return null
  return (
    <Menu position="top-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="subtle" className="answer answer-more" aria-label={words.more} disabled={isDisabled}>
          ⋯
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((button) => (
          <Menu.Item
            key={button.label}
            className="more-item"
            rightSection={<Key of={button} />}
            onClick={() => onPress(button)}
          >
            {button.label}
            <span className="more-help">{helpOf(button)}</span>
          </Menu.Item>
        ))}
        {canCopy && (
          <Menu.Item
            className="more-item"
            onClick={() => void navigator.clipboard.writeText(`${location.origin}/asks/${ask.id}`)}
          >
            {words.copyLink}
            <span className="more-help">{words.copyLinkHelp}</span>
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The answers without a button of their own. */
export function menuOf({ buttons, answers }: Pick<AskView, 'buttons' | 'answers'>): readonly ButtonView[] {
  const isIn = (action: string) => buttons.some(({ answer }) => answer.action === action)
  return (['decline', 'cancel'] as const)
    .filter((action) => answers.includes(action) && !isIn(action))
    .map((action) => ({
      label: menuItems[action].label,
      verdict: action === 'decline' ? 'no' : 'neutral',
      answer: { action },
      ...(action === 'cancel' ? { key: dismissKey } : {}),
    }))
}

/** A yes that cannot be undone, or that may be for any of several calls, is not emphasised. */
function needsThought(ask: AskView): boolean {
  const { question } = ask
  return riskOf(ask) !== undefined || (question.kind !== 'approval' && question.oneOf !== undefined)
}

/** Whether everything on the card must have been shown before this answer. */
export function needsReading({ answer, verdict }: ButtonView): boolean {
  return answer.action === 'accept' && verdict !== 'no'
}

function helpOf({ answer: { action } }: ButtonView): string {
  return action === 'accept' ? '' : menuItems[action].help
}

/** One answer has the whole width, two are side by side, several below each other. */
function layoutOf(buttons: readonly ButtonView[]): 'single' | 'pair' | 'options' | 'form' {
  if (buttons.some(({ fillsIn }) => fillsIn === true)) return 'form'
  if (buttons.length === 1) return 'single'
  return buttons.length > 2 ? 'options' : 'pair'
}
