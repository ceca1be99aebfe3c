import type { Rectangle } from 'electron'

export const DEFAULT_SIZE = { width: 1440, height: 900 } as const
export const MIN_SIZE = { width: 360, height: 480 } as const
/** Number of pixels of the title bar that must be on a screen, so that a person can move the window. */
const MIN_VISIBLE = 64

/**
 * Where to open a window: at its last position, unless that screen is gone or has become smaller.
 *
 * The result is never larger than the work area of the window's screen. A window without a last position uses
 * the first of `workAreas`, where Electron centres it.
 */
export function openingBounds(
  saved: Rectangle | undefined,
  workAreas: readonly Rectangle[],
): { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number } {
  const last = saved && workAreas.find((candidate) => holdsTitleBar(candidate, saved))
  const wanted = saved ?? DEFAULT_SIZE
  const area = last ?? workAreas[0]
  const width = Math.max(MIN_SIZE.width, Math.min(wanted.width, area?.width ?? wanted.width))
  const height = Math.max(MIN_SIZE.height, Math.min(wanted.height, area?.height ?? wanted.height))
  return saved && last ? { width, height, x: saved.x, y: saved.y } : { width, height }
}

/** Whether a work area shows enough of a window's title bar for a person to move the window. */
export function holdsTitleBar(area: Rectangle, { x, y, width }: Rectangle): boolean {
  const visibleWidth = Math.min(x + width, area.x + area.width) - Math.max(x, area.x)
  return visibleWidth >= MIN_VISIBLE && y >= area.y && y <= area.y + area.height - MIN_VISIBLE
}
