// Requests to the gateway, and the one translator of what can go wrong with them.

import type { InboxProblem } from '@assent/core'

/** Thrown by queries; told apart by `problem.code`. */
class Failed extends Error {
  readonly problem: InboxProblem

  constructor(problem: InboxProblem) {
    super(problem.message)
    this.name = 'Failed'
    this.problem = problem
  }
}

export async function get<T>(path: string): Promise<T> {
  return read<T>(await reach(path, {}))
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json', 'assent-inbox': '1' }
  return read<T>(await reach(path, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch {
    throw new Failed({
      code: 'unavailable',
      message: 'The gateway cannot be reached. Nothing is lost: the ask stays open, and you can try again.',
    })
  }
}

async function read<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  if (isProblem(body)) throw new Failed(body)
  throw new Failed({ code: 'unavailable', message: `The gateway answered with ${response.status} and no reason.` })
}

function isProblem(body: unknown): body is InboxProblem {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body
}

export function problemOf(error: unknown): InboxProblem {
  if (error instanceof Failed) return error.problem
  return { code: 'unavailable', message: 'Something went wrong on this page. Reload it: the ask is not lost.' }
}
