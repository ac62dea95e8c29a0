// One-click install links, on the page about setting up clients.
import { launchOf, readAbout } from './about.ts'

const launch = launchOf(readAbout())

export const linksPage = 'docs/start/clients/index.md'
const begin = '<!-- install links: made by `npm run manifests` -->'
const end = '<!-- end of install links -->'

/** These pages redirect to the client. Links with the schemes vscode: and cursor: are removed from READMEs on many sites. */
export function vsCodeLink(host: 'vscode.dev' | 'insiders.vscode.dev'): string {
  const config = encodeURIComponent(JSON.stringify({ type: 'stdio', ...launch }))
  const quality = host === 'vscode.dev' ? '' : '&quality=insiders'
  return `https://${host}/redirect/mcp/install?name=assent&config=${config}${quality}`
}

export function cursorLink(): string {
  const config = Buffer.from(JSON.stringify(launch)).toString('base64')
  return `https://cursor.com/en/install-mcp?name=assent&config=${encodeURIComponent(config)}`
}

function linksPart(): string {
  return [
    begin,
    '',
    `[Install in VS Code](${vsCodeLink('vscode.dev')}) ·`,
    `[in VS Code Insiders](${vsCodeLink('insiders.vscode.dev')}) ·`,
    `[in Cursor](${cursorLink()})`,
    '',
    end,
  ].join('\n')
}

export function withLinks(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`${linksPage} has no markers for the install links.`)
  return page.slice(0, from) + linksPart() + page.slice(to + end.length)
}
