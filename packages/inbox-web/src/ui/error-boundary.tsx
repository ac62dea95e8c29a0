// Shown instead of a page that failed: its code could not be loaded, or it has a bug. Give it a `key` for each page, so that
// the other pages still work.

import { Component, type ReactNode } from 'react'
import { PageError } from './page-error.tsx'

const problem = {
  code: 'unavailable',
  message: 'This page could not be loaded. Nothing was answered. Check that Assent is running, then try again.',
} as const

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    // A browser requests code that failed to load again only after a reload.
    return <PageError problem={problem} onRetry={() => location.reload()} />
  }
}
