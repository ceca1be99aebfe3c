import type { Severity } from '../../app/contract/severity.ts'
import { classesOf } from './classes.ts'
import sheet from './shape.module.css'

const css = classesOf(sheet)

/** A symbol on a 12 × 12 grid: a filled shape, and a line of the given `width`. */
interface Mark {
  readonly fill?: string
  readonly line?: string
  readonly width?: number
  readonly dash?: string
}

const circle = (r: number) => `M${6 - r} 6a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`

/** One symbol for each kind of problem, the same in the whole app. */
const MARKS = {
  ok: { fill: circle(4.2) },
  watch: { fill: circle(1.7), line: circle(4.6), width: 1.5 },
  low: { fill: 'M2 2h8v8H2z' },
  falling: { fill: 'M.8 2h10.4L6 11z' },
  empty: { line: 'M6 1.6 10.9 10.4H1.1z', width: 1.8 },
  'rate-limited': { fill: 'M3.7.5h4.6L11.5 3.7v4.6L8.3 11.5H3.7L.5 8.3V3.7zM3 5.1v1.8h6V5.1z' },
  'not-checked': { line: circle(4.2), width: 1.4, dash: '2.2 1.5' },
  'signed-out': { fill: 'M6 .6 11.8 11.2H.2zM5.3 4.2v3.6h1.4V4.2zM5.3 8.7v1.4h1.4V8.7z' },
  unreachable: { line: `${circle(4.7)}M2.8 9.2 9.2 2.8`, width: 1.6 },
  renewal: { fill: 'M11.4.9v4.1H7.3z', line: 'M10.2 4A4.6 4.6 0 1 0 10.5 7.3', width: 1.6 },
  lock: {
    fill: 'M1.8 5.2h8.4v6.2H1.8zM5.3 7.2v2.2h1.4V7.2z',
    line: 'M3.7 5.5V3.6a2.3 2.3 0 0 1 4.6 0v1.9',
    width: 1.5,
  },
  headers: {
    fill: 'M5.1 9.6h1.8v1.8H5.1z',
    line: 'M3.3 4a2.7 2.7 0 1 1 4 2.4C6.3 7 6 7.3 6 8.2',
    width: 1.7,
  },
  paused: { fill: 'M2.4 1.5h2.7v9H2.4zM6.9 1.5h2.7v9H6.9z' },
  silent: {
    line: 'M2.4 1.6h7.2a1.6 1.6 0 0 1 1.6 1.6v5.6a1.6 1.6 0 0 1-1.6 1.6H2.4A1.6 1.6 0 0 1 .8 8.8V3.2A1.6 1.6 0 0 1 2.4 1.6zM3 6h6',
    width: 1.6,
  },
  full: { fill: 'M1 1h4.5v4.5H1zM6.5 1H11v4.5H6.5zM1 6.5h4.5V11H1zM6.5 6.5H11V11H6.5z' },
  waiting: { line: `${circle(4.7)}M6 3.2V6.3L8.2 7.6`, width: 1.3 },
} as const satisfies Record<string, Mark>

const OF_SEVERITY: Readonly<Record<Severity, Mark>> = {
  ok: MARKS.ok,
  watch: MARKS.watch,
  warning: MARKS.low,
  critical: MARKS['signed-out'],
  unknown: MARKS['not-checked'],
}

/** Symbols for labels that replace the severity's symbol. A label can begin with a count: `3 silent`. */
const OF_LABEL: Readonly<Record<string, Mark>> = {
  'running out': MARKS.falling,
  empty: MARKS.empty,
  '429': MARKS['rate-limited'],
  unreachable: MARKS.unreachable,
  failing: MARKS.unreachable,
  'renewal failing': MARKS.renewal,
  'not confirmed yet': MARKS.renewal,
  'no permission': MARKS.lock,
  'no headers': MARKS.headers,
  'history paused': MARKS.paused,
  paused: MARKS.paused,
  silent: MARKS.silent,
  full: MARKS.full,
  waiting: MARKS.waiting,
}

interface ShapeProps {
  readonly severity: Severity
  /** The text next to the symbol. */
  readonly label?: string | undefined
}

/**
 * The symbol of a severity. Severities differ in shape and colour. The text next to the symbol names the
 * state.
 */
export function Shape({ severity, label = '' }: ShapeProps) {
  const mark: Mark = OF_LABEL[label.replace(/^\d+ /, '')] ?? OF_SEVERITY[severity]
  return (
    <i className={css('shape')} aria-hidden="true" data-severity={severity}>
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        {mark.line && (
          <path className={css('line')} d={mark.line} strokeWidth={mark.width} strokeDasharray={mark.dash} />
        )}
        {mark.fill && <path fillRule="evenodd" d={mark.fill} />}
      </svg>
    </i>
  )
}
