// The built web app, held in memory: a few files that do not change while the process runs.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import platformPath, { extname, join, type PlatformPath } from 'node:path'
import { gzipSync } from 'node:zlib'

interface WebFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** Its name contains a digest of its content, so it can be cached forever. */
  readonly isFixed: boolean
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

export class WebFiles {
  readonly #files: ReadonlyMap<string, WebFile>

  private constructor(files: ReadonlyMap<string, WebFile>) {
    this.#files = files
  }

  /** Reads a folder that `vite build` wrote. Throws when it does not exist. */
  static async read(folder: string): Promise<WebFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = new Map<string, WebFile>()
    for (const entry of entries) {
      const type = types[extname(entry.name)]
      if (!entry.isFile() || type === undefined) continue
      const file = join(entry.parentPath, entry.name)
      const bytes = new Uint8Array(await readFile(file))
      const path = urlPath(folder, file)
      files.set(path, {
        type,
        bytes,
        gzipped: new Uint8Array(gzipSync(bytes, { level: 9 })),
        etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
        isFixed: path.startsWith('/assets/'),
      })
    }
    if (!files.has('/index.html'))
      throw new Error(`The web app is not built: ${folder} has no index.html. From the sources, run: npm run web`)
    return new WebFiles(files)
  }

  /** A file, or the app's document for every page. */
  respond(request: Request): Response | undefined {
    const { pathname } = new URL(request.url)
    const file = this.#files.get(pathname) ?? (extname(pathname) === '' ? this.#files.get('/index.html') : undefined)
    if (file === undefined) return undefined
    const headers = new Headers({
      'content-type': file.type,
      etag: file.etag,
      vary: 'accept-encoding',
      'cache-control': file.isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
    if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) return new Response(file.bytes, { headers })
    headers.set('content-encoding', 'gzip')
    return new Response(file.gzipped, { headers })
  }
}

/** The path of the URL of a file, which depends on nothing outside the folder of the app. */
export function urlPath(
  folder: string,
  file: string,
  { relative, sep }: Pick<PlatformPath, 'relative' | 'sep'> = platformPath,
): string {
  return `/${relative(folder, file).split(sep).join('/')}`
}
