// What every page must satisfy: no violation that axe finds, no small text, no faint border, and on a phone no small control.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** By name: the options of a browser context. */
export const looks = {
  'wide and light': { colorScheme: 'light' },
  'wide and dark': { colorScheme: 'dark' },
  'phone and light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'phone and dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const

const phoneWidth = 500

/** Everything that is wrong with what the page shows. */
export async function violations(page: Page): Promise<string[]> {
  const isPhone = (page.viewportSize()?.width ?? 0) < phoneWidth
  return [
    ...(await axeViolations(page)),
    ...(await smallTexts(page)),
    ...(await faintBorders(page)),
    ...(isPhone ? await smallControls(page) : []),
  ]
}

async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    'axe.run().then((result) => result.violations)',
  )
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}

/** Visible text below 14 px. */
function smallTexts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const small = new Set()
    while (texts.nextNode()) {
      const { parentElement: element, data } = texts.currentNode
      if (data.trim() === '' || !element.checkVisibility({ visibilityProperty: true })) continue
      const size = parseFloat(getComputedStyle(element).fontSize)
      if (size < 14) small.add(element.tagName + '.' + element.className + ' ' + size + ' px: ' + data.trim().slice(0, 40))
    }
    return [...small]
  })()`)
}

/** Controls that a finger can miss: below 44 px in height. The label of a control counts as the control. */
function smallControls(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=slider]')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest('.visually-hidden, [aria-hidden=true]'))
    // The handle of a slider has its own row; a field beside it takes the same value.
    .filter((one) => !one.matches('[role=slider]'))
    .map((one) => one.closest('.pick, .row-select, label') ?? one)
    .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width > 0 && height > 0 && height < 43.5 })
    .map((one) => one.outerHTML.slice(0, 120) + ' ' + Math.round(one.getBoundingClientRect().height) + ' px')`)
}

/** Controls whose border has a contrast below 3:1 against what is behind it. */
function faintBorders(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    const parsed = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
    const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
    const behind = (element) => {
      for (let one = element.parentElement; one !== null; one = one.parentElement) {
        const color = parsed(getComputedStyle(one).backgroundColor)
        if (color.length === 3 || color[3] === 1) return color
      }
      return [255, 255, 255]
    }
    return [...document.querySelectorAll('button[data-variant=default]:not(:disabled), input, textarea, .pick')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.matches('.visually-hidden, :checked'))
      .flatMap((one) => {
        const { borderTopColor, borderTopWidth } = getComputedStyle(one)
        const border = parsed(borderTopColor)
        if (parseFloat(borderTopWidth) === 0 || border[3] === 0) return []
        const [light, dark] = [luminance(border), luminance(behind(one))].sort((a, b) => b - a)
        const contrast = (light + 0.05) / (dark + 0.05)
        return contrast < 3 ? [one.outerHTML.slice(0, 120) + ' ' + contrast.toFixed(2)] : []
      })
  })()`)
}
