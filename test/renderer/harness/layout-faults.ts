import type { Page } from '@playwright/test'

/**
 * Texts that can't be read as drawn: they are cut off without a way to scroll to the rest, overlap, or extend
 * beyond the side of the window. If a dialog is open, only its texts are checked.
 */
export function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    interface Drawn {
      readonly text: string
      readonly element: Element
      readonly rect: DOMRect
    }
    const SLACK = 1.5
    const faults: string[] = []
    const short = (text: string) => JSON.stringify(text.trim().slice(0, 40))

    /** Where a text is cut off. `undefined` if the rest can be reached by scrolling, or is in a title. */
    const clippedBy = (element: Element, rect: DOMRect): string | undefined => {
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(at)
        const box = at.getBoundingClientRect()
        if (overflowX === 'hidden' || overflowX === 'clip') {
          const isCut = rect.right > box.right + SLACK || rect.left < box.left - SLACK
          if (isCut && !(textOverflow === 'ellipsis' && element.closest('[title]') !== null))
            return 'at the side'
        }
        if ((overflowY === 'hidden' || overflowY === 'clip') && rect.bottom > box.bottom + SLACK)
          return 'below'
        // Content that scrolls in this element is not cut off by an outer one.
        if (overflowX === 'auto' || overflowY === 'auto') return undefined
      }
      return undefined
    }

    /** The visible part. A part that is scrolled away covers nothing. */
    const seen = (element: Element, rect: DOMRect): DOMRect => {
      let { left, top, right, bottom } = rect
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(at)
        if (overflowX === 'visible' && overflowY === 'visible') continue
        const box = at.getBoundingClientRect()
        left = Math.max(left, box.left)
        top = Math.max(top, box.top)
        right = Math.min(right, box.right)
        bottom = Math.min(bottom, box.bottom)
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
    }

    const root =
      document.querySelector('[role=dialog], [role=alertdialog]') ?? document.getElementById('window')!
    const drawn: Drawn[] = []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent ?? ''
      if (element === null || text.trim() === '' || element.closest('option, title') !== null) continue
      if (!element.checkVisibility() || getComputedStyle(element).clipPath !== 'none') continue
      if (element.closest('[class*=spoken]') !== null) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects()) {
        if (rect.width < 1 || rect.height < 1) continue
        const how = clippedBy(element, rect)
        if (how !== undefined) faults.push(`${short(text)} is cut off ${how}`)
        const visible = seen(element, rect)
        if (visible.width >= 1 && visible.right > innerWidth + SLACK) {
          faults.push(`${short(text)} is beyond the side`)
        }
        if (visible.width >= 1 && visible.height >= 1) drawn.push({ text, element, rect: visible })
      }
    }
    for (const [index, one] of drawn.entries()) {
      for (const other of drawn.slice(index + 1)) {
        const width = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
        const height = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
        // Line boxes are higher than letters, so they may overlap a little.
        const isOver = width > 2 && height > 0.45 * Math.min(one.rect.height, other.rect.height)
        const isSticky = one.element.closest('thead') !== null || other.element.closest('thead') !== null
        if (isOver && !isSticky && one.element !== other.element) {
          faults.push(`${short(one.text)} is over ${short(other.text)}`)
        }
      }
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth - clientWidth} pixels too wide`)
    return [...new Set(faults)]
  })
}
