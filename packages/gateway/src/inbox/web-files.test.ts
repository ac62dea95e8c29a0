import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { urlPath, WebFiles } from './web-files.ts'

test('[INBOX-26] pages are checked for a new version wherever the app is installed; only files with a digest in their name are cached', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'assent-web-'))
  onTestFinished(() => removeFolder(parent))
  const folder = join(parent, 'assets', 'web')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html>')
  await writeFile(join(folder, 'assets', 'index-3f2a.js'), '0')

  for (const given of [folder, `${folder}/`]) {
    const files = await WebFiles.read(given)
    const cached = (path: string) =>
      files.respond(new Request(`http://inbox${path}`))?.headers.get('cache-control') ?? 'none'
    expect(['/', '/index.html', '/asks/x', '/assets/x'].map(cached)).toEqual(Array(4).fill('no-cache'))
    expect(cached('/assets/index-3f2a.js')).toContain('immutable')
  }
})

test.each([
  [posix, '/srv/assets/web', '/srv/assets/web/index.html', '/index.html'],
  [posix, '/srv/assets/web/', '/srv/assets/web/assets/a.js', '/assets/a.js'],
  [win32, 'C:\\assets\\web', 'C:\\assets\\web\\index.html', '/index.html'],
  [win32, 'C:/assets/web/', 'C:\\assets\\web\\assets\\a.js', '/assets/a.js'],
])(
  '[INBOX-26] the address of a file has slashes on each system, and nothing of its folder (%#)',
  (path, folder, file, url) => {
    expect(urlPath(folder, file, path)).toBe(url)
  },
)
