// What went wrong with a whole page, and a way to try again where that could help.

import type { InboxProblem } from '@assent/core'
import { Button } from '@mantine/core'

export function Trouble({ problem, onRetry }: { readonly problem: InboxProblem; readonly onRetry: () => void }) {
  return (
    <div className="trouble" role="alert">
      <p>{problem.code === 'not-found' ? 'There is nothing here for you.' : problem.message}</p>
      {problem.code !== 'not-found' && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
