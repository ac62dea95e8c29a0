// Links between Markdown files: the file exists, and the heading that an anchor names exists on GitHub and on the docs site.
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { readText } from '../workspace.ts'

/** Everything wrong with the links of a page. */
export function linkProblems(page: string, text: string): string[] {
  return linksIn(text).flatMap((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : posix.join(posix.dirname(page), path)
    if (path !== '' && !existsSync(target)) return [`${page}: ${link} does not exist`]
    if (anchor === undefined || !target.endsWith('.md')) return []
    const headings = headingsIn(target === page ? text : readText(target))
    if (!headings.some((heading) => gitHubSlug(heading) === anchor)) return [`${page}: no heading for ${link}`]
    const isOnSite = page.startsWith('docs/') && target.startsWith('docs/')
    if (isOnSite && !headings.some((heading) => siteSlug(heading) === anchor))
      return [`${page}: no heading on the site for ${link}`]
    return []
  })
}

function linksIn(text: string): string[] {
  const prose = withoutCode(text)
  const inline = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const named = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)].map(([, link = '']) => link)
  return [...inline, ...named].filter((link) => !/^[a-z]+:/.test(link))
}

function headingsIn(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '`')
}

function gitHubSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** As VitePress makes it. */
function siteSlug(heading: string): string {
  return heading
    .replaceAll('`', '')
    .replaceAll(/[\s~!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()
}
