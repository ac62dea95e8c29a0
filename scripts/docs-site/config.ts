// The configuration of the docs site: menus from structure.ts, local search, links out of the site.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { DefaultTheme, UserConfig } from 'vitepress'
import { pagesOf, siteLink } from './pages.ts'
import { notOnSite, type SitePart, siteParts } from './structure.ts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const repository = String(manifest.repository.url).replace(/^git\+|\.git$/g, '')

/** Long lists of evidence: readable on the site, but they would hide everything else in the search. */
const notSearched = /^(decisions\/|behaviour\.md|background\/obligations\.md)/

export const siteConfig: UserConfig<DefaultTheme.Config> = {
  title: 'Assent',
  description: 'Your agent asks. You answer. Only what you approved runs.',
  lang: 'en',
  outDir: '../dist/site',
  cacheDir: '../node_modules/.cache/docs-site',
  srcExclude: [...notOnSite],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }],
    // The help of commands has 88 characters per line.
    ['style', {}, '.vp-doc div.language-text code { font-size: 12px }'],
  ],
  // The layout of the home page has no main landmark.
  transformHtml: (code) => code.replace('class="VPContent is-home"', 'role="main" class="VPContent is-home"'),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // There is no highlighting for Cedar.
    languageAlias: { cedar: 'rust' },
    config: (md) => {
      md.core.ruler.push('site-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          if (href !== null) token.attrSet('href', siteLink(href, env.relativePath, repository))
        }
      })
    },
  },
  themeConfig: {
    nav: siteParts.map((part) => ({
      text: part.title,
      link: `/${firstPage(part)}`,
      activeMatch: `^/${part.folder}/`,
    })),
    sidebar: Object.fromEntries([
      ...siteParts.map((part) => [`/${part.folder}/`, sidebarOf(part)]),
      ...['/behaviour', '/decisions/'].map((path) => [path, sidebarOf(siteParts.at(-1) as SitePart)]),
    ]),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        _render: (source, env, md) => (notSearched.test(env.relativePath) ? '' : md.render(source, env)),
      },
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
}

function firstPage({ folder, groups }: SitePart): string {
  return posix.join(folder, groups[0]?.pages[0] ?? 'index')
}

function sidebarOf(part: SitePart): DefaultTheme.SidebarItem[] {
  return pagesOf(part).map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: page.title, link: `/${page.path.replace(/(README|index)?\.md$/, '')}` })),
  }))
}
