// Shown instead of a page that could not be loaded, with a retry button where retrying can help.

import type { InboxProblem } from '@assent/core'
import { Button } from '@mantine/core'

export function PageError({ problem, onRetry }: { readonly problem: InboxProblem; readonly onRetry: () => void }) {
  return (
    <div className="page-error" role="alert">
      <p>{problem.code === 'not-found' ? 'Not found, or you do not have access.' : problem.message}</p>
      {problem.code !== 'not-found' && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
