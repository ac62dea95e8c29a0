// What every page must satisfy: no violation that axe finds, no small text, and on a phone no small control.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    'axe.run().then((result) => result.violations)',
  )
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}

/** Visible text below 14 px. */
export function smallTexts(page: Page): Promise<string[]> {
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
export function smallControls(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=slider]')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest('.visually-hidden, [aria-hidden=true]'))
    // The handle of a slider and the stars of a rating have their own rows; a field beside them takes the same value.
    .filter((one) => !one.matches('[role=slider]') && !one.closest('.rating-row'))
    .map((one) => one.closest('.pick, .row-select, label') ?? one)
    .filter((one) => { const { width, height } = one.getBoundingClientRect(); return width > 0 && height > 0 && height < 43.5 })
    .map((one) => one.outerHTML.slice(0, 120) + ' ' + Math.round(one.getBoundingClientRect().height) + ' px')`)
}
