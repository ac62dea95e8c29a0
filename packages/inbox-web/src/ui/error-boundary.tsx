// Shown instead of a page that failed. Give it a `key` for each page, so that the other pages still work.

import { Component, type ReactNode } from 'react'
import { frameText } from '../text/frame.ts'
import { PageError } from './page-error.tsx'

const problem = {
  code: 'unavailable',
  message: frameText.errors.failedPage,
} as const

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return <PageError problem={problem} onRetry={() => location.reload()} />
  }
}
