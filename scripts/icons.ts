// The PNG icons of the installed web app, drawn from icon.svg by Chromium: `npm run icons` writes packages/inbox-web/public/.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { aBrowser } from '../test-kit/chromium.ts'

const folder = fileURLToPath(new URL('../packages/inbox-web/public/', import.meta.url))
const rounded = readFileSync(`${folder}icon.svg`, 'utf8')
// A system cuts these into its own shape, at most to the inner 80 %, which contains the mark.
const square = rounded.replace(' rx="8"', '')
const icons = [
  { name: 'icon-192.png', svg: rounded, size: 192 },
  { name: 'icon-512.png', svg: rounded, size: 512 },
  { name: 'icon-maskable-512.png', svg: square, size: 512 },
  { name: 'apple-touch-icon.png', svg: square, size: 180 },
]

const browser = await aBrowser()
for (const { name, svg, size } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(
    `<style>body { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }</style>${svg}`,
  )
  await page.screenshot({ path: folder + name, omitBackground: true })
  await page.close()
  console.log(folder + name)
}
await browser.close()
