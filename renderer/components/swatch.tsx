import { DESK_NAME, OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import { classesOf } from './classes.ts'
import sheet from './swatch.module.css'

const css = classesOf(sheet)

/** Number of different fills, each a colour with a pattern. Further programs use the same fills again. */
const FILLS = 6

const FILL_OF: Readonly<Record<string, string>> = {
  [OTHERS_NAME]: 'fill-others',
  [DESK_NAME]: 'fill-desk',
  [OWN_NAME]: 'fill-own',
}

/** CSS class of a program's fill, by the program's index. Headroom, the desk and others have their own. */
export const fillOf = (name: string, at: number): string => css(FILL_OF[name] ?? `fill-${at % FILLS}`)

export function Swatch({ name, at }: { readonly name: string; readonly at: number }) {
  return <i className={`${css('swatch')} ${fillOf(name, at)}`} aria-hidden="true" />
}
