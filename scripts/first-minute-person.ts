// The person of scripts/first-minute: opens the link of `assent try` in a browser, reads the question, and presses Yes.
import { aBrowser } from '../test-kit/chromium.ts'

/** At 200 words a minute, which is slow for a text of one's own trade; and a glance at the page before that. */
const wordMs = 300
const lookMs = 1_500

const [link = ''] = process.argv.slice(2)
const browser = await aBrowser()
try {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(link)
  const yes = page.getByRole('button', { name: 'Yes', exact: true })
  await yes.waitFor()
  // biome-ignore lint/performance/useDomNodeTextContent: a person reads only the text that is displayed; textContent also has hidden text
  const words = (await page.locator('.card').innerText()).split(/\s+/).length
  const readMs = lookMs + words * wordMs
  await page.waitForTimeout(readMs)
  await yes.click()
  process.stdout.write(`first-minute: the person read ${words} words for ${Math.round(readMs / 1_000)} s\n`)
  await page.getByText('You answered').or(page.getByText('Yes')).first().waitFor()
  // The answer is sent when the request has ended.
  await page.waitForLoadState('networkidle').catch(() => undefined)
} finally {
  await browser.close()
}
