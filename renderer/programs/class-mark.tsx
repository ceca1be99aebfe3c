import { PROGRAM_CLASSES, type ProgramClass } from '../../app/contract/programs.ts'
import { classesOf } from '../components/classes.ts'
import sheet from './class-mark.module.css'

const css = classesOf(sheet)

/** The symbol of a program class: its name and a few bars. A more urgent class has more bars. */
export function ClassMark({ of }: { readonly of: ProgramClass }) {
  const filled = PROGRAM_CLASSES.length - PROGRAM_CLASSES.indexOf(of)
  return (
    <span className={css('class')}>
      <svg width="13" height="12" viewBox="0 0 13 12" aria-hidden="true" focusable="false">
        {PROGRAM_CLASSES.map((one, at) => (
          <rect
            key={one}
            className={css(at < filled ? 'bar-filled' : 'bar-empty')}
            x={1 + 4 * at}
            y={8 - 3 * at}
            width="3"
            height={3 + 3 * at}
          />
        ))}
      </svg>
      {of}
    </span>
  )
}
