// Reads the pages of the docs: titles and first sentences for menus, and links that lead out of the site.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { notOnSite, type SitePart } from './structure.ts'

export interface SitePage {
  /** Under docs/, such as `start/first-minute.md`. */
  readonly path: string
  readonly title: string
  /** The first sentence of the page. */
  readonly summary: string
}

export function pagesOf({ folder, groups }: SitePart): { readonly title: string; readonly pages: SitePage[] }[] {
  return groups.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => readPage(`${posix.join(folder, page)}.md`)),
  }))
}

function readPage(path: string): SitePage {
  const text = readFileSync(posix.join('docs', path), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  const [first = ''] = text
    .slice(text.indexOf(`# ${title}`) + title.length + 2)
    .split('\n\n')
    .map((block) => block.trim())
    .filter((block) => /^[A-Z[`]/.test(block))
  const plain = first.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return { path, title, summary: /^.+?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain }
}

/**
 * The address of a link on the site. A link to a file of the repository that is not a page leads to the repository.
 * @param page under docs/
 */
export function siteLink(href: string, page: string, repository: string): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.normalize(posix.join('docs', posix.dirname(page), path))
  const inDocs = target.startsWith('docs/') && !notOnSite.includes(target.slice('docs/'.length))
  const isPage = inDocs && /\.(md|png|svg)$/.test(target)
  if (isPage) return href
  return `${repository}/blob/main/${target}${anchor === undefined ? '' : `#${anchor}`}`
}
