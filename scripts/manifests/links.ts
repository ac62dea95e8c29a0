// One-click install links for the README.
import { launchOf, readAbout } from './about.ts'

const launch = launchOf(readAbout())

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

export function withLinks(readme: string): string {
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from === -1 || to < from) throw new Error('README.md has no markers for the install links.')
  return readme.slice(0, from) + linksPart() + readme.slice(to + end.length)
}
