// The open pages of this process, by the names under which their people may be approvers, so that a change finds its pages without
// looking at all others.

import { approverNames, maySee, type Person } from '@assent/core'
import type { Change } from '@assent/store'

export class Followers<Page extends { readonly person: Person }> implements Iterable<Page> {
  readonly #all = new Set<Page>()
  readonly #byName = new Map<string, Set<Page>>()

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): Iterator<Page> {
    return this.#all.values()
  }

  countOf({ principal }: Person): number {
    return this.#byName.get(nameOf(principal))?.size ?? 0
  }

  add(page: Page): void {
    this.#all.add(page)
    for (const name of approverNames(page.person)) {
      const pages = this.#byName.get(name)
      if (pages === undefined) this.#byName.set(name, new Set([page]))
      else pages.add(page)
    }
  }

  /** False if it was not there. */
  delete(page: Page): boolean {
    if (!this.#all.delete(page)) return false
    for (const name of approverNames(page.person)) {
      const pages = this.#byName.get(name)
      if (pages?.delete(page) === true && pages.size === 0) this.#byName.delete(name)
    }
    return true
  }

  /** The pages whose person may see the ask of a change, each once. */
  of(change: Change): Page[] {
    const names = new Set<string>([...change.approvalRule.approvers, nameOf(change.principal)])
    const pages = new Set([...names].flatMap((name) => [...(this.#byName.get(name) ?? [])]))
    return [...pages].filter(({ person }) => maySee(change, person))
  }
}

function nameOf(principal: string): string {
  return `person:${principal}`
}
