import { OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import { classesOf } from './classes.ts'
import sheet from './swatch.module.css'

const css = classesOf(sheet)

/** Number of colours and patterns. Programs beyond this number share them. */
const FILLS = 6

/** The class of a program's fill, by the program's index. Headroom and others have fills of their own. */
export const fillOf = (name: string, at: number): string =>
  css(name === OTHERS_NAME ? 'fill-others' : name === OWN_NAME ? 'fill-own' : `fill-${at % FILLS}`)

/** A square with the colour and pattern of a program. */
export function Swatch({ name, at }: { readonly name: string; readonly at: number }) {
  return <i className={`${css('swatch')} ${fillOf(name, at)}`} aria-hidden="true" />
}
