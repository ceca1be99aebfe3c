import { durationText } from '../../app/status/durations.ts'
import { rateText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { programBars } from './program-bars.ts'
import sheet from './program-chart.module.css'
import { useProgramHistory } from './use-program-history.ts'

const css = classesOf(sheet)

const WIDTH = 600
const HEIGHT = 96
/** Number of patterns. Programs beyond this number share the last pattern. */
const LOOKS = 6

export function ProgramChart(props: { readonly profile: string | undefined; readonly category: string }) {
  const { profile, category } = props
  const history = useProgramHistory(profile, category)
  const bars = history && programBars(history)
  if (history === undefined || bars === undefined) return null
  const look = (program: number) => css(`look-${Math.min(program, LOOKS - 1)}`)
  const said = bars.programs.map(({ name, requests }) => `${name} ${requests}`).join(', ')
  return (
    <figure className={css('chart')}>
      <figcaption>
        Use per program, from the history, by {durationText(history.resolutionMs / 1000)}; at most{' '}
        {rateText(bars.maxPerSecond)}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests of programs: ${said}`}
      >
        {bars.pieces.map(({ program, left, width, bottom, height }) => (
          <rect
            key={`${left} ${program}`}
            className={look(program)}
            x={left * WIDTH}
            y={(1 - bottom - height) * HEIGHT}
            width={width * WIDTH}
            height={height * HEIGHT}
          />
        ))}
      </svg>
      <ul>
        {bars.programs.map(({ name, requests }, program) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect className={look(program)} width="10" height="10" />
            </svg>
            {name} {requests}
          </li>
        ))}
      </ul>
    </figure>
  )
}
