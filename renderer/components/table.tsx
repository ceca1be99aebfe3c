import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { classesOf } from './classes.ts'
import sheet from './side-scroll.module.css'

const css = classesOf(sheet)

/**
 * Tolerance at the end of a scrolled box, in pixels. At a fractional display scale, positions are rounded.
 */
const SLACK = 1

/**
 * A box that scrolls in both directions. If content is hidden on the left or on the right, an arrow is shown
 * on that side.
 */
export function SideScroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const box = useRef<HTMLElement>(null)
  const [more, setMore] = useState('')
  useEffect(() => {
    const scrolled = box.current
    if (scrolled === null) return
    const measure = () => {
      const { scrollLeft, clientWidth, scrollWidth } = scrolled
      const isMoreRight = scrollLeft + clientWidth < scrollWidth - SLACK
      setMore([scrollLeft > SLACK && 'left', isMoreRight && 'right'].filter(Boolean).join(' '))
    }
    const observer = new ResizeObserver(measure)
    for (const one of [scrolled, ...scrolled.children]) observer.observe(one)
    scrolled.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      scrolled.removeEventListener('scroll', measure)
    }
  }, [])
  return (
    <div className={css('frame')} data-more={more}>
      <ScrollBox ref={box} label={label}>
        {children}
      </ScrollBox>
    </div>
  )
}

interface ScrollBoxProps {
  readonly ref?: Ref<HTMLElement>
  /** The accessible name. */
  readonly label: string
  /** Further classes. */
  readonly look?: string
  readonly children: ReactNode
}

/** A box that scrolls, also with the keyboard. */
export const ScrollBox = ({ ref, label, look = '', children }: ScrollBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs focus
  <section ref={ref} className={`scroll ${look}`.trim()} aria-label={label} tabIndex={0}>
    {children}
  </section>
)

/** The widths of a table's columns, such as `18%`, or pixels. The other columns share the rest. */
export const Columns = ({ widths }: { readonly widths: readonly (string | number | undefined)[] }) => (
  <colgroup>
    {widths.map((width, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in place
      <col key={at} style={{ width }} />
    ))}
  </colgroup>
)

interface ColumnHeadsProps {
  readonly names: readonly string[]
  readonly look?: string
}

export const ColumnHeads = ({ names, look }: ColumnHeadsProps) =>
  names.map((name) => (
    <th key={name} scope="col" className={look}>
      {name}
    </th>
  ))
