// The person of scripts/first-minute: opens the link of `assent try` in a browser, and presses Yes.
import { aBrowser } from '../test-kit/chromium.ts'

const [link = ''] = process.argv.slice(2)
const browser = await aBrowser()
try {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(link)
  const yes = page.getByRole('button', { name: 'Yes', exact: true })
  await yes.waitFor()
  // The keys and buttons of a card do nothing for half a second after it appears.
  await page.waitForTimeout(600)
  await yes.click()
  await page.getByText('You answered').or(page.getByText('Yes')).first().waitFor()
  // The answer is sent when the request has ended.
  await page.waitForLoadState('networkidle').catch(() => undefined)
} finally {
  await browser.close()
}
