// The buttons of a card, and a menu for the answers that have none.
//
// None is focused when a card appears, and for a moment none reacts: a key or click meant for the previous card must not
// answer this one.

import type { AskView, ButtonView } from '@assent/core'
import { Button, Kbd, Menu } from '@mantine/core'
import { useIsLost } from '../api/connection.ts'

const dismissKey = 'x'

/** The answers that may be in the menu. */
const menuItems = {
  decline: { label: 'Decline to answer', help: 'The agent gets a no.' },
  cancel: { label: 'Dismiss', help: 'The agent learns that you made no choice.' },
} as const

interface Props {
  readonly ask: Pick<AskView, 'buttons' | 'answers'>
  /** The button whose answer is being sent. */
  readonly sending: ButtonView | undefined
  /** Why the answers that agree cannot be given yet. */
  readonly isBlocked?: boolean
  readonly onPress: (button: ButtonView) => void
}

export function AnswerBar({ ask, sending, isBlocked = false, onPress }: Props) {
  const { buttons } = ask
  const inMenu = menuOf(ask)
  const isLost = useIsLost()
  return (
    <div className="answer-bar" data-layout={layoutOf(buttons)}>
      {buttons.map((button) => (
        <Button
          key={button.label + JSON.stringify(button.answer)}
          variant={button.verdict === 'yes' ? 'filled' : 'default'}
          className={`answer answer-${button.verdict}`}
          classNames={{ inner: 'answer-inner', label: 'answer-label' }}
          loading={sending === button}
          disabled={isLost || (sending !== undefined && sending !== button)}
          data-blocked={isBlocked && needsReading(button) ? '' : undefined}
          aria-keyshortcuts={button.key}
          rightSection={
            button.key !== undefined && (
              <Kbd aria-hidden="true" className="key">
                {button.key}
              </Kbd>
            )
          }
          onClick={() => onPress(button)}
        >
          {button.label}
          {button.shownValue !== undefined && <span className="option-value">sends “{button.shownValue}”</span>}
          {button.isSuggested === true && <span className="suggested">suggested</span>}
        </Button>
      ))}
      {inMenu.length > 0 && (
        <Menu position="top-end" withinPortal>
          <Menu.Target>
            <Button
              variant="subtle"
              className="answer answer-more"
              aria-label="More"
              disabled={isLost || sending !== undefined}
            >
              ⋯
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {inMenu.map((button) => (
              <Menu.Item
                key={button.label}
                className="more-item"
                rightSection={
                  button.key !== undefined && (
                    <Kbd aria-hidden="true" className="key">
                      {button.key}
                    </Kbd>
                  )
                }
                onClick={() => onPress(button)}
              >
                {button.label}
                <span className="more-help">{helpOf(button)}</span>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
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

/** Whether everything on the card must have been shown before this answer. */
export function needsReading({ answer, verdict }: ButtonView): boolean {
  return answer.action === 'accept' && verdict !== 'no'
}

function helpOf({ answer: { action } }: ButtonView): string {
  return action === 'accept' ? '' : menuItems[action].help
}

/** Two answers are side by side, several below each other. */
function layoutOf(buttons: readonly ButtonView[]): 'pair' | 'options' | 'form' {
  if (buttons.some(({ fillsIn }) => fillsIn === true)) return 'form'
  return buttons.length > 2 ? 'options' : 'pair'
}
