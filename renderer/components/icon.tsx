import { classesOf } from './classes.ts'
import sheet from './icon.module.css'

const css = classesOf(sheet)

/** Paths on a 16 × 16 grid, in the text's own colour. */
const PATHS = {
  close: 'M4 4 12 12 M12 4 4 12',
  restart: 'M13 8a5 5 0 1 1-1.6-3.7 M13 2.6v2.6h-2.6',
  pin: 'M5.5 2.5h5 M6.5 2.5v4L4.5 9h7L9.5 6.5v-4 M8 9v4.5',
  pause: 'M5.5 3.5v9 M10.5 3.5v9',
  resume: 'M5.5 3.5v9l6.5-4.5z',
  up: 'M8 13V3 M4 7l4-4 4 4',
  down: 'M8 3v10 M4 9l4 4 4-4',
  hide: 'M2 8c2-3 4-4 6-4s4 1 6 4c-2 3-4 4-6 4s-4-1-6-4 M3 13 13 3',
  copy: 'M6 6h7v7H6z M3 10V3h7',
  more: 'M3 8h.01 M8 8h.01 M13 8h.01',
} as const

export type IconName = keyof typeof PATHS

/** An icon without a label, for a labelled button. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={css('icon')} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
