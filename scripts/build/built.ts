// The published packages, compiled, with the web app: built now or, with --built, by an earlier `npm run build`.

import { existsSync } from 'node:fs'
import { buildWebApp } from '../inbox/web-app.ts'
import { compile } from './compile.ts'
import { publishedPackages } from './published.ts'

export function builtPackages(): ReturnType<typeof publishedPackages> {
  const packages = publishedPackages()
  const isBuilt = process.argv.includes('--built') && packages.every(({ folder }) => existsSync(`${folder}/dist`))
  if (isBuilt) return packages
  for (const published of packages) compile(published)
  buildWebApp()
  return packages
}
